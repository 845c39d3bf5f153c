// Package event is the vocabulary of everything that happens in a run: flat, typed records with lab time.
// It is not a bus: an emitter calls one Sink, in order, and whoever wants to fan out is a Sink.
package event

import "github.com/stellarlab/stellarlab/internal/vtime"

// Event is one thing that happened. It is a plain value so that emitting one allocates nothing; what the
// four numbers A to D mean is fixed per Kind, in kinds.go.
type Event struct {
	At   vtime.Time
	Kind Kind
	Node int32  // host or switch by graph id, or a link direction for fabric kinds; -1: the lab itself
	QP   uint32 // local queue pair number on Node; 0: none
	A    uint64
	B    uint64
	C    uint64
	D    uint64
}

// Sink takes events in order of lab time per Node. The pointed-to event is the caller's: copy it to keep it.
// A Sink is called by one owner loop and need not be safe for concurrent use unless its type says so.
type Sink interface {
	Emit(e *Event)
}

// Discard is a Sink that drops everything.
type Discard struct{}

// Emit does nothing.
func (Discard) Emit(*Event) {}

// Tee is a Sink that hands each event to every member, in order.
type Tee []Sink

// Emit implements Sink.
func (t Tee) Emit(e *Event) {
	for _, s := range t {
		s.Emit(e)
	}
}
