package sim

import (
	"math/bits"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/seed"
)

// marker is the ECN rule of one egress port, on the queue that a packet finds before it: none up to from,
// certainly above to, between them with a probability that rises linearly from 0 to the profile's.
type marker struct {
	from, to int64  // ps of queue
	at       uint64 // threshold at to, of 2^32
	key      seed.Key
}

func newMarker(d *direction, e fabric.ECN, base uint64, name string) marker {
	if e == (fabric.ECN{}) {
		return marker{from: neverPs, to: neverPs}
	}
	return marker{
		from: d.depth(e.Min), to: d.depth(e.Max), at: fabric.Threshold(e.Probability),
		key: seed.Derive(base, "ecn/"+name),
	}
}

// draw decides for one packet that waits longer than from. The draw depends on the packet and the marking
// point alone. Numbers of queue pairs are per host, so the flow's digest goes in too: only the simulator marks,
// and it knows it.
func (m *marker) draw(wait int64, f *flight) bool {
	if wait > m.to {
		return true
	}
	hi, lo := bits.Mul64(uint64(wait-m.from), m.at)
	threshold, _ := bits.Div64(hi, lo, uint64(m.to-m.from)) // hi < divisor: wait ≤ to
	return fabric.Hash(m.key, f.identity^f.digest) < threshold
}
