package sim

import (
	"errors"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/seed"
)

// behindBTH is where bits may flip from: after IP, UDP and base transport header, so that it is the ICRC that
// must notice. Before it lie bytes that a switch changes and the ICRC does not cover.
const behindBTH = 20 + 8 + 12

// spoil flips a bit of a packet. From here on it travels in its encoded form, so that the receiver's own check
// decides.
func (s *Sim) spoil(packet int32, o fabric.Outcome) {
	e := s.pool.spoilt[packet]
	if e == nil {
		if s.pool.spoilt == nil {
			s.pool.spoilt = map[int32]*spoilt{}
		}
		e = &spoilt{raw: s.pool.packets[packet].Append(nil), by: o.By}
		s.pool.spoilt[packet] = e
	}
	x := seed.Mix(uint64(o.Hash) + 1)
	span := uint64(len(e.raw) - behindBTH)
	e.raw[behindBTH+x>>3%span] ^= 1 << (x & 7)
}

// deliverSpoilt decodes what has become of an altered packet. The host refuses it, unless the bits cancelled out
// or the ICRC was fooled: then it is received as it is.
func (s *Sim) deliverSpoilt(in int32, f *flight, e *spoilt) {
	d := &s.dirs[in]
	h := &s.hosts[d.to]
	if f.marked {
		e.raw[1] |= 3
	}
	err := wire.Decode(e.raw, &s.decoded)
	if err == nil {
		d.ledger.Delivered++
		h.Device.Receive(s.Now(), &s.decoded)
		s.pool.give(f.packet)
		return
	}
	cause := event.RejectMalformed
	if errors.Is(err, wire.ErrICRC) {
		cause = event.RejectICRC
	}
	s.drop(in, event.DropICRC, f.packet, f.size, e.by)
	h.Device.Reject(s.Now(), cause)
}
