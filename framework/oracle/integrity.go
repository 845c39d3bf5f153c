package oracle

import (
	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/internal/event"
)

// integrity claims that target memory holds what was sent, for every message that completed with success: each
// was compared, whole, and no byte was wrong.
type integrity struct {
	tally
	judge     *Judge
	succeeded uint64
}

func newIntegrity(j *Judge) claim { return &integrity{judge: j} }

func (c *integrity) result() *tally { return &c.tally }

func (c *integrity) on() []handler {
	return []handler{{event.Completed, c.completed}, {event.Verified, c.verified}}
}

func (c *integrity) completed(s *step) {
	if engine.Status(s.ev.B) == engine.Success {
		c.succeeded++
	}
}

func (c *integrity) verified(s *step) {
	c.checked++
	i := c.judge.queues.Flow(s.ev.Node, s.ev.QP)
	if i < 0 {
		c.fail(s, "memory compared for queue pair %d of host %d, which carries no flow", s.ev.QP, s.ev.Node)
		return
	}
	s.flow = &c.judge.flows[i]
	switch {
	case s.ev.C > 0:
		c.fail(s, "%d of %d bytes are wrong, the first at %#x", s.ev.C, s.flow.Size, s.ev.D)
	case s.ev.B != uint64(s.flow.Size):
		c.fail(s, "%d bytes compared, where the message has %d", s.ev.B, s.flow.Size)
	}
}

func (c *integrity) finish(s *step, end *End) {
	if c.succeeded != c.checked {
		c.fail(s, "%d messages completed with success, %d were compared with target memory", c.succeeded, c.checked)
	}
	if end.Checked != c.checked {
		c.fail(s, "the checker compared %d messages, %d are in the events", end.Checked, c.checked)
	}
}
