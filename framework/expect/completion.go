package expect

import (
	"errors"
	"fmt"
	"time"

	"github.com/stellarlab/stellarlab/internal/units"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// completion expects every flow of a workload to end, in time, with no more than so many failed messages.
type completion struct {
	Workload string         `yaml:"workload" doc:"the workload that must complete"`
	Within   units.Duration `yaml:"within" doc:"longest time from its first post to its last completion; without it the end of the run is the limit"`
	Failures uint64         `yaml:"failures" default:"0" doc:"messages that may fail"`
}

// Validate implements Params.
func (p *completion) Validate() error {
	var errs []error
	if p.Workload == "" {
		errs = append(errs, errors.New("workload: name the workload"))
	}
	if p.Within < 0 {
		errs = append(errs, fmt.Errorf("within: %v is negative", p.Within))
	}
	return errors.Join(errs...)
}

// Refs implements Params.
func (p *completion) Refs() Refs { return Refs{Workloads: []string{p.Workload}} }

// Judge implements Params. The measured value is the time that the workload took, in nanoseconds.
func (p *completion) Judge(e *Evidence) Finding {
	limit := float64(p.Within)
	w := e.Run.Workload(p.Workload)
	switch {
	case w == nil:
		return unmeasured(Error, limit, "no workload %q in the run", p.Workload)
	case w.Finished == vtime.Never:
		return unmeasured(Fail, limit, "%d of %d flows ended before the run did at %v", w.done, w.Flows, e.Run.Ended)
	case w.Posted == 0:
		return unmeasured(Inconclusive, limit, "the workload posted nothing")
	}
	took := w.Finished.Sub(w.Began)
	switch {
	case w.Failures() > p.Failures:
		return found(Fail, float64(took), limit, "%d messages failed, where %d may", w.Failures(), p.Failures)
	case p.Within > 0 && took > time.Duration(p.Within):
		return found(Fail, float64(took), limit, "took %v, where %v is the limit", took, time.Duration(p.Within))
	}
	return found(Pass, float64(took), limit, "%d messages in %v, %d failed", w.Operations, took, w.Failures())
}
