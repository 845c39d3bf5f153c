package oracle

import (
	"github.com/stellarlab/stellarlab/internal/event"
)

// ledger claims that no link direction loses count of a packet (SCENARIO §4), from the fabric's counters.
type ledger struct {
	tally
	judge *Judge
}

func newLedger(j *Judge) claim { return &ledger{judge: j} }

func (c *ledger) result() *tally { return &c.tally }

func (c *ledger) on() []handler { return nil }

func (c *ledger) finish(s *step, end *End) {
	g := c.judge.cfg.Graph
	if want := 2 * len(g.Links); len(end.Ports) != want {
		c.fail(s, "the lab counts %d link directions, where the topology has %d", len(end.Ports), want)
	}
	var packets uint64
	for i := range end.Ports {
		p := &end.Ports[i]
		c.checked++
		packets += p.Sent
		var dropped uint64
		for _, n := range p.Dropped {
			dropped += n
		}
		if p.Sent+p.Duplicated != p.Delivered+dropped+p.InFlight {
			c.fail(s, "%s: sent %d and duplicated %d, but delivered %d, dropped %d, in flight %d",
				g.DirName(p.Dir), p.Sent, p.Duplicated, p.Delivered, dropped, p.InFlight)
		}
		if n := p.Dropped[event.DropKernel]; n > 0 {
			c.fail(s, "%s: %d packets vanished that neither a fault nor a queue explains", g.DirName(p.Dir), n)
		}
	}
	for i := range c.judge.flows {
		if c.judge.flows[i].good > 0 && packets == 0 {
			c.fail(s, "messages completed, but no link counted a packet")
			return
		}
	}
}
