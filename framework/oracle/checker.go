package oracle

import (
	"sync/atomic"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Checker compares target memory with the pattern of the message that completed: a host.Verifier over the
// application's own views of memory. It is safe for concurrent use by the owner loops of several devices, if its
// sink is.
type Checker struct {
	guests   []host.Guest
	sink     event.Sink
	messages atomic.Uint64
}

// NewChecker returns a checker over the guests of all hosts, by host number, that emits what it finds into sink.
func NewChecker(guests []host.Guest, sink event.Sink) *Checker {
	return &Checker{guests: guests, sink: sink}
}

// Verify implements host.Verifier.
func (c *Checker) Verify(now vtime.Time, f *host.Flow, target *host.Endpoint, wc *engine.WC, gpa mem.GPA, tag uint64) {
	e := event.Event{At: now, Kind: event.Verified, Node: f.From, QP: wc.QP, A: wc.ID, B: uint64(f.Size)}
	if f.Size > 0 {
		bad, first, err := c.compare(target.Node, gpa, uint64(f.Size), tag)
		e.C, e.D = bad, uint64(first)
		if err != nil { // what cannot be read was not compared, and is not right
			e.B, e.C, e.D = 0, uint64(f.Size), uint64(gpa)
		}
	}
	c.messages.Add(1)
	c.sink.Emit(&e)
}

func (c *Checker) compare(node int32, gpa mem.GPA, n, tag uint64) (uint64, mem.GPA, error) {
	if uint(node) >= uint(len(c.guests)) {
		return n, gpa, nil
	}
	return c.guests[node].Check(gpa, n, tag)
}

// Messages returns how many messages were compared.
func (c *Checker) Messages() uint64 { return c.messages.Load() }
