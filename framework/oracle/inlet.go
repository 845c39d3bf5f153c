package oracle

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Inlet is where events enter a run that the lab does not carry: what the checker finds, what the injector does.
// It is an event.Sink that is safe for concurrent use. Into weaves them into the lab's events.
type Inlet struct {
	waiting atomic.Int64
	mu      sync.Mutex
	found   []event.Event // not yet handed on
	ready   []event.Event // used by the stream only
}

// Emit implements event.Sink.
func (n *Inlet) Emit(e *event.Event) {
	n.mu.Lock()
	n.found = append(n.found, *e)
	n.mu.Unlock()
	n.waiting.Add(1)
}

// Stream is the lab's sink: it hands on all that it gets, and what entered by the inlet, in order of lab time. It
// is called by one caller at a time.
type Stream struct {
	inlet *Inlet
	next  event.Sink
}

// Into returns the sink for the lab that hands everything on to next.
func (n *Inlet) Into(next event.Sink) *Stream { return &Stream{n, next} }

// Emit implements event.Sink. What entered by the inlet goes before the first event of a later instant, so that a
// comparison follows the completion that it belongs to.
func (s *Stream) Emit(e *event.Event) {
	if s.inlet.waiting.Load() > 0 {
		s.drain(e.At)
	}
	s.next.Emit(e)
}

// Flush hands on all that is left. It is called once, after the last event.
func (s *Stream) Flush() {
	s.drain(vtime.Never)
}

// drain hands on what entered from before an instant, by time and node.
func (s *Stream) drain(before vtime.Time) {
	n := s.inlet
	n.mu.Lock()
	rest := n.found[:0]
	for _, e := range n.found {
		if e.At < before {
			n.ready = append(n.ready, e)
		} else {
			rest = append(rest, e)
		}
	}
	n.found = rest
	n.mu.Unlock()
	n.waiting.Add(-int64(len(n.ready)))
	slices.SortStableFunc(n.ready, func(a, b event.Event) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Node, b.Node))
	})
	for i := range n.ready {
		s.next.Emit(&n.ready[i])
	}
	n.ready = n.ready[:0]
}
