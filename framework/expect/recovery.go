package expect

import (
	"errors"
	"fmt"
	"time"

	"github.com/stellarlab/stellarlab/internal/units"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// recovery expects the workload back at a share of its own baseline, for k consecutive samples, within a time
// after every heal of a fault, and no relapse.
type recovery struct {
	Workload string         `yaml:"workload" doc:"the workload that must come back"`
	After    string         `yaml:"after" doc:"the fault whose every heal starts the clock; its strike, where it is never undone"`
	To       units.Share    `yaml:"to" default:"95%" doc:"share of the undisturbed baseline that counts as recovered"`
	Within   units.Duration `yaml:"within" doc:"the longest that recovery may take"`
	Samples  int            `yaml:"samples" default:"5" doc:"consecutive samples that must be good"`
	Relapses int            `yaml:"relapses" default:"0" doc:"later bad samples that are allowed while no fault is active"`
}

// Validate implements Params.
func (p *recovery) Validate() error {
	var errs []error
	if p.Workload == "" {
		errs = append(errs, errors.New("workload: name the workload"))
	}
	if p.After == "" {
		errs = append(errs, errors.New("after: name the fault"))
	}
	if p.To <= 0 || p.To > 1 {
		errs = append(errs, fmt.Errorf("to: %v is not more than 0%% and at most 100%%", p.To))
	}
	if p.Within <= 0 {
		errs = append(errs, errors.New("within: give a duration, such as 1ms"))
	}
	if p.Samples < 1 {
		errs = append(errs, fmt.Errorf("samples: %d is not at least 1", p.Samples))
	}
	if p.Relapses < 0 {
		errs = append(errs, fmt.Errorf("relapses: %d is negative", p.Relapses))
	}
	return errors.Join(errs...)
}

// Refs implements Params.
func (p *recovery) Refs() Refs {
	return Refs{Workloads: []string{p.Workload}, Faults: []string{p.After}, Baseline: true}
}

// Judge implements Params. The measured value is the slowest recovery, in nanoseconds.
func (p *recovery) Judge(e *Evidence) Finding {
	within := time.Duration(p.Within)
	limit := float64(within)
	w := e.Run.Workload(p.Workload)
	if w == nil {
		return unmeasured(Error, limit, "no workload %q in the run", p.Workload)
	}
	base, why := e.baseline(p.Workload)
	if why != "" {
		return unmeasured(Inconclusive, limit, "%s", why)
	}
	if within < e.Jitter {
		return unmeasured(Inconclusive, limit, "within %v is finer than the lab's jitter of %v", within, e.Jitter)
	}
	var slowest time.Duration
	relapses, heals := 0, 0
	for _, f := range e.occurrences(p.After) {
		if f.Strike == vtime.Never {
			return unmeasured(Inconclusive, limit, "a fault %q never struck", p.After)
		}
		origin := f.Heal
		if f.Heal == vtime.Never {
			origin = f.Strike
		}
		r := e.recovery(w, origin, mark{float64(p.To) * base, p.Samples, within})
		switch {
		case !r.Conclusive:
			return unmeasured(Inconclusive, limit, "the workload was not loaded for long enough after %v to show %d samples of %v",
				r.Origin, p.Samples, e.Run.Sample)
		case r.After < 0:
			return unmeasured(Fail, limit, "not back at %.0f %% of %s after %v", 100*float64(p.To), rate(base), r.Origin)
		}
		heals++
		slowest = max(slowest, r.After)
		relapses = max(relapses, r.Relapses)
	}
	switch {
	case heals == 0:
		return unmeasured(Inconclusive, limit, "no occurrence of %q in the plan", p.After)
	case slowest > within:
		return found(Fail, float64(slowest), limit, "back at %.0f %% of %s after %v, where %v is the limit", 100*float64(p.To), rate(base), slowest, within)
	case relapses > p.Relapses:
		return found(Fail, float64(slowest), limit, "recovered in %v, but %d later samples fell below %.0f %% of %s", slowest, relapses, 100*float64(p.To), rate(base))
	}
	return found(Pass, float64(slowest), limit, "back at %.0f %% of %s within %v after %d heals", 100*float64(p.To), rate(base), slowest, heals)
}
