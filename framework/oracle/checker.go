package oracle

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Checker compares target memory with the pattern of the message that completed: a host.Verifier over the
// application's own views of memory. It is safe for concurrent use by the owner loops of several devices.
// What it found enters the run's events where Into was laid over the run's sink.
type Checker struct {
	guests   []host.Guest
	waiting  atomic.Int64
	messages atomic.Uint64
	mu       sync.Mutex
	found    []event.Event // not yet handed on
	ready    []event.Event // used by Into's sink only
}

// NewChecker returns a checker over the guests of all hosts, by host number.
func NewChecker(guests []host.Guest) *Checker { return &Checker{guests: guests} }

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
	c.mu.Lock()
	c.found = append(c.found, e)
	c.mu.Unlock()
	c.waiting.Add(1)
}

func (c *Checker) compare(node int32, gpa mem.GPA, n, tag uint64) (uint64, mem.GPA, error) {
	if uint(node) >= uint(len(c.guests)) {
		return n, gpa, nil
	}
	return c.guests[node].Check(gpa, n, tag)
}

// Messages returns how many messages were compared.
func (c *Checker) Messages() uint64 { return c.messages.Load() }

// Stream is a sink that weaves what the checker found into the events that pass, in order of lab time.
type Stream struct {
	checker *Checker
	next    event.Sink
}

// Into returns a sink that hands everything on to next, and what the checker found with it.
func (c *Checker) Into(next event.Sink) *Stream { return &Stream{c, next} }

// Emit implements event.Sink. A finding enters before the first event of a later instant, so that it follows
// the completion that it belongs to.
func (s *Stream) Emit(e *event.Event) {
	if s.checker.waiting.Load() > 0 {
		s.drain(e.At)
	}
	s.next.Emit(e)
}

// Flush hands on all that is left. It is called once, after the last event.
func (s *Stream) Flush() { s.drain(vtime.Never) }

// drain hands on the findings from before an instant, by time and node.
func (s *Stream) drain(before vtime.Time) {
	c := s.checker
	c.mu.Lock()
	rest := c.found[:0]
	for _, e := range c.found {
		if e.At < before {
			c.ready = append(c.ready, e)
		} else {
			rest = append(rest, e)
		}
	}
	c.found = rest
	c.mu.Unlock()
	c.waiting.Add(-int64(len(c.ready)))
	slices.SortStableFunc(c.ready, func(a, b event.Event) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Node, b.Node))
	})
	for i := range c.ready {
		s.next.Emit(&c.ready[i])
	}
	c.ready = c.ready[:0]
}
