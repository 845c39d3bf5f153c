package oracle

import "github.com/stellarlab/stellarlab/internal/event"

// ordering claims that completions come in order of posting (IBTA 9.5) and, unless the target is relaxed, that a
// poller of target memory sees no byte of a message before the message before it is whole, nor the last byte of
// one before all its others.
type ordering struct{ tally }

func newOrdering(*Judge) claim { return &ordering{} }

func (c *ordering) result() *tally { return &c.tally }

func (c *ordering) on() []handler {
	return []handler{{event.Completed, c.completed}, {event.Placed, c.placed}}
}

func (c *ordering) completed(s *step) {
	c.checked++
	if s.slot != nil && s.ev.A != s.slot.wr {
		c.fail(s, "completion of work request %d, where %d is the oldest outstanding", s.ev.A, s.slot.wr)
	}
}

func (c *ordering) placed(s *step) {
	if s.slot == nil || s.slot.life != waiting || s.flow.relaxed {
		return
	}
	c.checked++
	if s.slot.msn > s.flow.whole {
		c.fail(s, "bytes at %#x placed before message %d was whole", s.ev.A, s.flow.whole)
	}
	last := uint64(s.slot.at) + uint64(s.slot.size)
	if s.ev.A+s.ev.B == last && s.slot.placed+s.ev.B < uint64(s.slot.size) {
		c.fail(s, "the last byte placed when %d of %d bytes were there", s.slot.placed+s.ev.B, s.slot.size)
	}
}

func (c *ordering) finish(*step, *End) {}
