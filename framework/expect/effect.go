package expect

import (
	"math"
	"time"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Effect is what one fault occurrence did to the workloads; nil is not measured.
type Effect struct {
	DetectedAfter  *time.Duration // from the strike to the first retransmission or path event
	Floor          *float64       // the worst sample of any workload while it acted, as a share of its baseline
	RecoveredAfter *time.Duration // of the slowest workload
	Relapses       *int
	Retransmits    uint64 // packets sent again from the strike to the recovery, or to the end
}

// Marker is an expectation that says when a workload counts as recovered from a fault.
type Marker interface {
	// Mark returns the share of the baseline, the number of samples and the time, if the fault is the one meant.
	Mark(fault string) (to float64, samples int, within time.Duration, ok bool)
}

// Mark implements Marker.
func (p *recovery) Mark(fault string) (to float64, samples int, within time.Duration, ok bool) {
	return float64(p.To), p.Samples, time.Duration(p.Within), means(p.After, fault)
}

// Effect measures what occurrence i did. Where no expectation marks it, recovered is five samples at 95 %.
func (e *Evidence) Effect(i int, marks []Marker) *Effect {
	f := e.Run.Faults[i]
	if f.Strike == vtime.Never {
		return nil
	}
	var out Effect
	if f.Detected != vtime.Never {
		out.DetectedAfter = ptr(f.Detected.Sub(f.Strike))
	}
	to, samples, within := 0.95, 5, time.Duration(0)
	for _, m := range marks {
		if t, s, w, ok := m.Mark(e.Occurrence[i]); ok {
			to, samples, within = t, s, w
		}
	}
	origin := f.Heal
	if f.Heal == vtime.Never {
		origin = f.Strike
	}
	until := e.Run.Ended
	for n := range e.Run.Workloads {
		w := &e.Run.Workloads[n]
		base, ok := e.BaselineRate(w.Name)
		if !ok {
			continue
		}
		if low := w.Goodput.Floor(e.active(f).and(w.Loaded)); !math.IsNaN(low) && (out.Floor == nil || low/base < *out.Floor) {
			out.Floor = ptr(low / base)
		}
		r := e.recovery(w, origin, mark{to * base, samples, within})
		if r.After >= 0 && (out.RecoveredAfter == nil || r.After > *out.RecoveredAfter) {
			out.RecoveredAfter, out.Relapses = ptr(r.After), ptr(r.Relapses)
			until = origin.Add(r.After)
		}
	}
	first, past := e.Run.Resent.whole(Window{f.Strike - f.Strike%vtime.Time(max(e.Run.Resent.Bin, 1)), until})
	out.Retransmits = e.Run.Resent.sum(first, past+1)
	return &out
}

func ptr[T any](v T) *T { return &v }
