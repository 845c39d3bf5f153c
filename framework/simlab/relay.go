package simlab

import (
	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// relay hands the events of a run to its sink, in lab time: devices live on one clock that never goes back, a
// run counts from its own release. Between runs, and while a lab is being built, nobody listens.
type relay struct {
	next  event.Sink // nil: nobody
	start vtime.Time // of the run, on the clock of the devices
	stir  bool       // something happened that an injector may wait for
	done  int        // flows whose end was seen
	ev    event.Event
}

// Emit implements event.Sink.
func (r *relay) Emit(e *event.Event) {
	if r.next == nil {
		return
	}
	switch e.Kind {
	case event.Sent, event.Received, event.Placed, event.Fetched, event.Dropped: // packets: too many to ask after each
	case event.FlowDone:
		r.done++
		r.stir = true
	default:
		r.stir = true
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

// clock is a verifier that is told lab time.
type clock struct {
	next  host.Verifier
	start vtime.Time
}

// Verify implements host.Verifier.
func (c clock) Verify(now vtime.Time, f *host.Flow, target *host.Endpoint, wc *engine.WC, gpa mem.GPA, tag uint64) {
	c.next.Verify(now-c.start, f, target, wc, gpa, tag)
}
