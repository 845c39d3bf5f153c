package oracle

import (
	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/internal/event"
)

// exactlyOnce claims that every work request gets one completion, and every byte of a message is placed once.
type exactlyOnce struct {
	tally
	judge *Judge
}

func newExactlyOnce(j *Judge) claim { return &exactlyOnce{judge: j} }

func (c *exactlyOnce) result() *tally { return &c.tally }

func (c *exactlyOnce) on() []handler {
	return []handler{
		{event.Posted, c.posted}, {event.Completed, c.completed}, {event.Placed, c.placed},
	}
}

func (c *exactlyOnce) posted(s *step) {
	c.checked++
	switch {
	case s.flow == nil:
		c.fail(s, "work request %d posted on queue pair %d of host %d, which carries no flow", s.ev.A, s.ev.QP, s.ev.Node)
	case s.flow.begun && s.ev.B != s.flow.posted:
		c.fail(s, "message %d posted, where %d is next", s.ev.B, s.flow.posted)
	case s.ev.D != uint64(s.slot.at) || s.ev.C != uint64(s.flow.Size):
		c.fail(s, "message of %d bytes posted to %#x, where the flow's layout says %d bytes to %#x", s.ev.C, s.ev.D, s.flow.Size, uint64(s.slot.at))
	case s.slot.life == waiting:
		c.fail(s, "posted over message %d, which has no completion yet", s.slot.msn)
	}
}

func (c *exactlyOnce) completed(s *step) {
	switch {
	case s.flow == nil:
		c.fail(s, "completion of work request %d on queue pair %d of host %d, which carries no flow", s.ev.A, s.ev.QP, s.ev.Node)
	case s.slot == nil:
		c.fail(s, "completion of work request %d, where none is outstanding", s.ev.A)
	case engine.Status(s.ev.B) != engine.Success:
	case s.ev.C != uint64(s.slot.size):
		c.fail(s, "completion says %d bytes, where %d were posted", s.ev.C, s.slot.size)
	case s.slot.placed != uint64(s.slot.size) || s.slot.sum != indices(0, uint64(s.slot.size)):
		c.fail(s, "completed with success after %d of %d bytes were placed", s.slot.placed, s.slot.size)
	}
}

func (c *exactlyOnce) placed(s *step) {
	if s.slot == nil {
		return // isolation's
	}
	switch {
	case s.slot.life == done:
		c.fail(s, "%d bytes at %#x placed again after the message had completed", s.ev.B, s.ev.A)
	case s.slot.placed+s.ev.B > uint64(s.slot.size):
		c.fail(s, "%d bytes at %#x make %d placed, where the message has %d", s.ev.B, s.ev.A, s.slot.placed+s.ev.B, s.slot.size)
	}
}

func (c *exactlyOnce) finish(s *step, end *End) {
	var missing uint64
	for i := range c.judge.flows {
		f := &c.judge.flows[i]
		if n := f.outstanding(); n > 0 {
			missing += n
			if end.Settled {
				s.flow, s.message = f, f.oldest
				c.fail(s, "%d work requests without a completion although the run has settled", n)
			}
		}
	}
	if missing > 0 && !end.Settled {
		c.open = "the limit was reached with work requests outstanding"
	}
}
