package oracle

import "github.com/stellarlab/stellarlab/internal/event"

// isolation claims that bytes arrive only where a message under way may put them.
type isolation struct{ tally }

func newIsolation(*Judge) claim { return &isolation{} }

func (c *isolation) result() *tally { return &c.tally }

func (c *isolation) on() []handler { return []handler{{event.Placed, c.placed}} }

func (c *isolation) placed(s *step) {
	c.checked++
	switch {
	case s.slot == nil:
		c.fail(s, "%d bytes placed at %#x of host %d, where no flow has a target", s.ev.B, s.ev.A, s.ev.Node)
	case s.slot.life == idle:
		c.fail(s, "%d bytes placed at %#x of host %d, where no message was posted to", s.ev.B, s.ev.A, s.ev.Node)
	case s.ev.A-uint64(s.slot.at)+s.ev.B > uint64(s.slot.size):
		c.fail(s, "%d bytes placed at %#x of host %d reach past the end of the message at %#x", s.ev.B, s.ev.A, s.ev.Node, uint64(s.slot.at)+uint64(s.slot.size))
	}
}

func (c *isolation) finish(*step, *End) {}
