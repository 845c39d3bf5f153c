package simlab

import (
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// relay hands the events of a run to its sink, in lab time: devices live on one clock that never goes back, a
// run counts from its own release. Between runs, and while a lab is being built, nobody listens.
type relay struct {
	next   event.Sink // nil: nobody
	start  vtime.Time // of the run, on the clock of the devices
	events uint64
	done   int // flows whose end was seen
	ev     event.Event
}

// Emit implements event.Sink.
func (r *relay) Emit(e *event.Event) {
	if r.next == nil {
		return
	}
	r.events++
	if e.Kind == event.FlowDone {
		r.done++
	}
	if r.start == 0 {
		r.next.Emit(e)
		return
	}
	r.ev = *e
	r.ev.At -= r.start
	if e.Kind == event.PathOut && vtime.Time(e.B) != vtime.Never {
		r.ev.B -= uint64(r.start)
	}
	r.next.Emit(&r.ev)
}
