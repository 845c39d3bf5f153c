package oracle

import "github.com/stellarlab/stellarlab/internal/event"

// translationSafety claims that no DMA touched memory that was not pinned, mapped and permitted. Memory itself
// reports those that did: the bus keeps its own record of what is pinned (host.Bus).
type translationSafety struct{ tally }

func newTranslationSafety(*Judge) claim { return &translationSafety{} }

func (c *translationSafety) result() *tally { return &c.tally }

func (c *translationSafety) on() []handler {
	return []handler{{event.Placed, c.access}, {event.Fetched, c.access}, {event.BadAccess, c.bad}}
}

func (c *translationSafety) access(*step) { c.checked++ }

func (c *translationSafety) bad(s *step) {
	c.checked++
	c.fail(s, "host %d: DMA of %d bytes at %#x touched memory that is %s", s.ev.Node, s.ev.C, s.ev.B, badness(event.BadCause(s.ev.A)))
}

func (c *translationSafety) finish(*step, *End) {}

// badness words a cause of BadAccess.
func badness(c event.BadCause) string {
	switch c {
	case event.BadUnpinned:
		return "not pinned"
	case event.BadUnmapped:
		return "not mapped"
	case event.BadOutside:
		return "outside the guest"
	}
	return "not permitted"
}
