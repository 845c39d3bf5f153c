package expect

import (
	"errors"
	"fmt"
	"math"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// goodput expects a mean rate of first-time bytes placed in target memory over a window.
type goodput struct {
	Workload string `yaml:"workload" doc:"the workload that is measured"`
	During   string `yaml:"during" doc:"a fault: while it acts; or run: the whole loaded run"`
	After    string `yaml:"after" doc:"a fault: from its last heal to the end of the load"`
	Before   string `yaml:"before" doc:"a fault: from the start of the load to its first strike"`
	AtLeast  Level  `yaml:"atLeast" doc:"share of the workload's own undisturbed baseline (80%), or a rate (10Gbps)"`
}

// wholeRun is the window name that means all of the run.
const wholeRun = "run"

// Validate implements Params.
func (p *goodput) Validate() error {
	var errs []error
	if p.Workload == "" {
		errs = append(errs, errors.New("workload: name the workload"))
	}
	n := 0
	for _, s := range []string{p.During, p.After, p.Before} {
		if s != "" {
			n++
		}
	}
	if n != 1 {
		errs = append(errs, fmt.Errorf("during, after, before: %d of them are given, where exactly one is needed", n))
	}
	if err := p.AtLeast.validate(); err != nil {
		errs = append(errs, fmt.Errorf("atLeast: %w", err))
	}
	return errors.Join(errs...)
}

// Refs implements Params.
func (p *goodput) Refs() Refs {
	r := Refs{Workloads: []string{p.Workload}, Baseline: p.AtLeast.Share > 0}
	for _, s := range []string{p.During, p.After, p.Before} {
		if s != "" && s != wholeRun {
			r.Faults = append(r.Faults, s)
		}
	}
	return r
}

// Judge implements Params. The measured value is the least mean goodput of any window, in bit/s.
func (p *goodput) Judge(e *Evidence) Finding {
	limit := float64(p.AtLeast.Rate)
	what := rate(limit)
	if p.AtLeast.Share > 0 {
		base, why := e.baseline(p.Workload)
		if why != "" {
			return Finding{Outcome: Inconclusive, Message: why}
		}
		limit = p.AtLeast.Share * base
		what = fmt.Sprintf("%.0f %% of %s", 100*p.AtLeast.Share, rate(base))
	}
	w := e.Run.Workload(p.Workload)
	if w == nil {
		return unmeasured(Error, limit, "no workload %q in the run", p.Workload)
	}
	windows, why := p.windows(e)
	if why != "" {
		return unmeasured(Inconclusive, limit, "%s", why)
	}
	least := math.Inf(1)
	for _, win := range windows {
		got, n := w.Goodput.Rate(win.and(w.Loaded))
		if n < 1 {
			return unmeasured(Inconclusive, limit, "the workload was not loaded for one whole sample of %v in the window from %v to %v", e.Run.Sample, win.From, win.To)
		}
		least = min(least, got)
	}
	return found(passIf(least >= limit), least, limit, "%s, where %s is asked", rate(least), what)
}

// windows returns where to measure: one per occurrence of the fault for during, one otherwise.
func (p *goodput) windows(e *Evidence) (out []Window, why string) {
	if p.During == wholeRun {
		return []Window{{0, e.Run.Ended}}, ""
	}
	name := p.During + p.After + p.Before
	all := e.occurrences(name)
	if len(all) == 0 {
		return nil, fmt.Sprintf("no occurrence of %q in the plan", name)
	}
	first, last := vtime.Never, vtime.Time(0)
	for _, f := range all {
		if f.Strike == vtime.Never {
			return nil, fmt.Sprintf("a fault %q never struck", name)
		}
		out = append(out, e.active(f))
		first = min(first, f.Strike)
		last = max(last, f.Heal)
	}
	switch {
	case p.During != "":
		return out, ""
	case p.Before != "":
		return []Window{{0, first}}, ""
	case last == vtime.Never:
		return nil, fmt.Sprintf("fault %q was active to the end of the run", name)
	}
	return []Window{{last, e.Run.Ended}}, ""
}
