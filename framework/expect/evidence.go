package expect

import (
	"fmt"
	"strings"
	"time"

	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Evidence is all that an expectation may look at.
type Evidence struct {
	Run        *Measurement
	Baseline   *Measurement // the undisturbed twin; nil if none was run
	Occurrence []string     // names of the fault occurrences, by index: "grey", or "grey#1" …
	Invariants []oracle.Result
	Jitter     time.Duration // lateness of the lab's own timers: no claim may be finer
	Settled    bool          // the run ended by itself, not by its limit
}

// Finding is what an expectation has to say. Measured and Limit are nil where nothing was measured; their unit
// is the kind's: nanoseconds, bit/s, a share or a count.
type Finding struct {
	Outcome  Outcome
	Measured *float64
	Limit    *float64
	Message  string
}

// Params are the parameters of an expectation and, with them, its judgement.
type Params interface {
	// Validate says what is wrong with the parameters, all of it joined; it changes nothing.
	Validate() error
	// Refs names the workloads and faults that the parameters refer to.
	Refs() Refs
	// Judge looks at the evidence.
	Judge(e *Evidence) Finding
}

// Refs are the names that an expectation refers to.
type Refs struct {
	Workloads []string
	Faults    []string
	Baseline  bool // an undisturbed twin is needed
}

func found(o Outcome, measured, limit float64, format string, args ...any) Finding {
	return Finding{o, &measured, &limit, fmt.Sprintf(format, args...)}
}

// unmeasured is a finding without a measurement.
func unmeasured(o Outcome, limit float64, format string, args ...any) Finding {
	return Finding{o, nil, &limit, fmt.Sprintf(format, args...)}
}

// passIf is Pass if the claim holds, else Fail.
func passIf(holds bool) Outcome {
	if holds {
		return Pass
	}
	return Fail
}

// occurrences returns the faults that a name means: the one of that name, or all its repetitions. Those that
// never struck are returned too.
func (e *Evidence) occurrences(name string) []Fault {
	var out []Fault
	for i, n := range e.Occurrence {
		if means(name, n) {
			out = append(out, e.Run.Faults[i])
		}
	}
	return out
}

// means says that an occurrence is the fault called name, or one of its repetitions.
func means(name, occurrence string) bool {
	base, _, _ := strings.Cut(occurrence, "#")
	return occurrence == name || base == name
}

// active returns the window in which a fault acted, to the end of the run if it never healed.
func (e *Evidence) active(f Fault) Window { return Window{f.Strike, min(f.Heal, e.Run.Ended)} }

// minLoaded is how many loaded samples a baseline needs (SCENARIO §4).
const minLoaded = 5

// baseline returns the undisturbed goodput of a workload in bit/s, or why there is none.
func (e *Evidence) baseline(workload string) (rate float64, why string) {
	if e.Baseline == nil {
		return 0, "no baseline was run"
	}
	w := e.Baseline.Workload(workload)
	if w == nil {
		return 0, fmt.Sprintf("the baseline has no workload %q", workload)
	}
	rate, n := w.Goodput.Rate(w.Loaded)
	switch {
	case n < minLoaded:
		return 0, fmt.Sprintf("the baseline has %d loaded samples of %v, where %d are needed", n, e.Baseline.Sample, minLoaded)
	case rate <= 0:
		return 0, "the baseline carried nothing"
	case w.Failures() > 0:
		return 0, fmt.Sprintf("%d messages of the baseline failed", w.Failures())
	}
	return rate, ""
}

// BaselineRate is the undisturbed goodput of a workload in bit/s; ok is false if it could not be measured.
func (e *Evidence) BaselineRate(workload string) (rate float64, ok bool) {
	rate, why := e.baseline(workload)
	return rate, why == ""
}

// quiet says that no fault is active anywhere in a window, and none that struck after origin was healed less than
// grace before it.
func (e *Evidence) quiet(w Window, origin vtime.Time, grace time.Duration) bool {
	for _, f := range e.Run.Faults {
		if f.Strike == vtime.Never {
			continue
		}
		a := e.active(f)
		if f.Strike > origin {
			a.To = a.To.Add(grace)
		}
		if a.and(w).Len() > 0 {
			return false
		}
	}
	return true
}
