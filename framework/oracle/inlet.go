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
	found   []event.Event // not yet handed on; in order from head to sorted
	head    int
	sorted  int
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

// drain hands on what entered from before an instant, by time and node. What has entered since the last time is
// sorted in first: a run whose events come after its end hands thousands on one by one.
func (s *Stream) drain(before vtime.Time) {
	n := s.inlet
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.sorted < len(n.found) {
		slices.SortStableFunc(n.found[n.head:], func(a, b event.Event) int {
			return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Node, b.Node))
		})
		n.sorted = len(n.found)
	}
	for n.head < len(n.found) && n.found[n.head].At < before {
		e := n.found[n.head]
		n.head++
		n.waiting.Add(-1)
		s.next.Emit(&e)
	}
	if n.head == len(n.found) {
		n.found, n.head, n.sorted = n.found[:0], 0, 0
	}
}
