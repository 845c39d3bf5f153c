package spray

import (
	"math/bits"
	"time"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Paths are the paths of one queue pair: which one a packet takes, and the window that all share. They belong to
// one owner and are not safe for concurrent use.
type Paths struct {
	policy  Policy
	entropy []uint16
	health  health
	window  window
	base    time.Duration // round trip of the idle fabric
	srtt    time.Duration // smoothed round trip; 0 before the first
}

// patienceRTTs is how many smoothed round trips a path may stay silent before others are preferred.
const patienceRTTs = 4

// firstPort is the lowest entropy: RoCEv2 sources lie in the dynamic range (IBTA A17.4.1.1 leaves it open).
const firstPort = 0xc000

// New returns the paths of a queue pair, all in use.
func New(cfg Config) (*Paths, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	r := cfg.Seed.Rand()
	kind, _ := Lookup(cfg.Policy)
	p := &Paths{entropy: make([]uint16, 0, cfg.Paths), base: cfg.BaseRTT}
	// A block of ports, aligned to its length: switches whose hash is linear in the port, as a CRC is, then give
	// every next hop the same number of paths. Which block is random.
	block := uint32(1) << bits.Len32(uint32(cfg.Paths-1))
	start := r.Uint32() &^ (block - 1)
	for i := range uint32(cfg.Paths) {
		p.entropy = append(p.entropy, firstPort|uint16((start+i)&0x3fff))
	}
	p.policy = kind.New(cfg.Paths, r)
	p.health = newHealth(cfg)
	p.window = newWindow(cfg)
	return p, nil
}

// Entropy returns the UDP source port of a path: distinct among the paths of a queue pair, constant for life.
func (p *Paths) Entropy(path uint16) uint16 { return p.entropy[int(path)%len(p.entropy)] }

// Window returns how many payload bytes may be outstanding; at least one packet's worth.
func (p *Paths) Window() uint64 { return p.window.bytes() }

// Pick chooses the path of a packet. avoid is a path that lost this packet, or -1: it is taken only when there
// is no other. A path that is out is taken when its probe is due, and when all are out.
func (p *Paths) Pick(now vtime.Time, avoid int) uint16 {
	path := p.pick(now, avoid)
	p.health.chosen(now, path)
	return path
}

// Answer chooses the path of an acknowledgement: as the policy proposes, but none that rests.
func (p *Paths) Answer(now vtime.Time) uint16 {
	path := p.policy.Next()
	for range len(p.entropy) {
		if !p.health.paths[path].resting {
			break
		}
		path = p.policy.Next()
	}
	return path
}

// proofs is how many candidates a retransmission compares. More would gather the retransmissions of all queue pairs
// on the few paths that answered last.
const proofs = 2

func (p *Paths) pick(now vtime.Time, avoid int) uint16 {
	h := &p.health
	patience := patienceRTTs * max(p.srtt, p.base)
	last := p.policy.Next()
	if avoid < 0 && h.out == 0 && !h.silent(now, last, patience) {
		return last
	}
	// A packet that was lost once takes, of some candidates, the path that answered last: where a link has died
	// lie paths that have not been found out yet, and a second loss costs a longer timeout.
	n, found, best := len(p.entropy), 0, last
	for range 2 * n {
		if int(last) != avoid && !h.silent(now, last, patience) && h.usable(now, last, avoid < 0) {
			if avoid < 0 {
				return last
			}
			if found == 0 || h.paths[last].heard > h.paths[best].heard {
				best = last
			}
			if found++; found == proofs {
				break
			}
		}
		last = p.policy.Next()
	}
	if found > 0 {
		return best
	}
	// The policy proposes no path that will do, or keeps to one: take the next one round that is not out.
	for i := range n {
		q := uint16((int(last) + 1 + i) % n)
		if int(q) != avoid && h.usable(now, q, avoid < 0) {
			return q
		}
	}
	if int(last) == avoid && n > 1 {
		return uint16((int(last) + 1) % n)
	}
	return last
}

// Acked reports that a packet of n payload bytes sent on path was acknowledged. rtt is 0 where it was not
// measured; ce is the number of packets newly reported as marked.
func (p *Paths) Acked(now vtime.Time, path uint16, n uint32, rtt time.Duration, ce uint32) {
	p.health.acked(now, path)
	if rtt > 0 {
		p.srtt += (rtt - p.srtt) / 8
	}
	p.window.acked(now, n, rtt, ce)
}

// Lost reports that a packet of n payload bytes was not acknowledged in time on path.
func (p *Paths) Lost(now vtime.Time, path uint16, n uint32) {
	p.health.lost(now, path)
	p.window.lost(n)
}

// Change takes the next change of a path's standing: out, with the instant of its first probe, or back. ok is
// false when there is none.
func (p *Paths) Change() (path uint16, out bool, until vtime.Time, ok bool) { return p.health.change() }
