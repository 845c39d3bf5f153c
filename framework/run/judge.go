package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/faults/inject"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// judge turns what a release gave into the judgement.
func (x *execution) judge(t *take) {
	for i := range t.faults {
		x.fault(t, i)
	}
	if t.observed == nil {
		return
	}
	e := &expect.Evidence{
		Run: t.measured, Baseline: x.baseline, Occurrence: x.occurrences(), Invariants: t.invariants,
		Jitter: t.observed.Jitter, Settled: t.observed.Settled,
	}
	excused := x.expectations(e)
	for i := range t.invariants {
		x.invariant(&t.invariants[i], excused, moved(t.measured))
	}
	if posted(t.measured) == 0 && len(x.resolved.Flows) > 0 {
		x.spoil(expect.Inconclusive, errors.New("no workload posted anything"))
	}
	x.effects(e)
	x.observe(t)
}

// expectations judges each, and returns the invariants that a scenario wants broken.
func (x *execution) expectations(e *expect.Evidence) (excused map[string]bool) {
	excused = map[string]bool{}
	names := map[string]int{}
	for _, p := range x.resolved.Expected {
		if p.Params == nil {
			continue // an invariant, which is on, listed or not
		}
		kind, _ := expect.Lookup(p.Kind)
		f := p.Params.Judge(e)
		name := title(p.Kind, p.Params.Refs())
		if names[name]++; names[name] > 1 {
			name = fmt.Sprintf("%s #%d", name, names[name])
		}
		x.verdict.Expectations = append(x.verdict.Expectations, report.Expectation{
			Name: name, Kind: p.Kind, Outcome: f.Outcome, Measured: f.Measured, Limit: f.Limit, Unit: kind.Unit, Message: f.Message,
		})
		x.spoil(f.Outcome, fmt.Errorf("%s: %s", name, f.Message))
		if b, ok := p.Params.(interface{ Excuses() string }); ok {
			excused[b.Excuses()] = true
		}
	}
	return excused
}

// title names an expectation by its kind and what it is about.
func title(kind string, r expect.Refs) string {
	about := strings.Join(append(slices.Clone(r.Workloads), r.Faults...), ", ")
	if about == "" {
		return kind
	}
	return kind + " (" + about + ")"
}

// invariant judges one invariant. bytes is what messages that completed with success carried: an invariant that
// checked nothing of it was not at work.
func (x *execution) invariant(r *oracle.Result, excused map[string]bool, bytes uint64) {
	v := report.Invariant{Name: r.Name, Outcome: expect.Pass, Checked: r.Checked, Total: r.Total, Violations: []report.Violation{}}
	for _, w := range r.Violations {
		v.Violations = append(v.Violations, report.Violation{At: int64(w.At), What: w.What, Operation: w.Operation, Fault: w.Fault})
	}
	switch {
	case r.Total > 0 && excused[r.Name]:
		v.Message = "violated, as the scenario expects"
	case r.Total > 0:
		v.Outcome, v.Message = expect.Fail, r.Violations[0].What
	case r.Open != "":
		v.Outcome, v.Message = expect.Inconclusive, r.Open
	case r.Checked == 0 && bytes > 0:
		v.Outcome, v.Message = expect.Inconclusive, "the lab gave it nothing to check"
	case r.Checked == 0:
		v.Message = "nothing to check"
	}
	x.verdict.Invariants = append(x.verdict.Invariants, v)
	x.spoil(v.Outcome, fmt.Errorf("%s: %s", r.Name, v.Message))
}

// fault records what became of a fault occurrence.
func (x *execution) fault(t *take, i int) {
	f := &t.faults[i]
	confirmation := f.Confirmation
	if late(t, f) && confirmation == faults.Confirmed {
		confirmation = faults.Unmeasured
	}
	v := report.Fault{
		Name: f.Name, Kind: f.Kind, Target: f.Targets, Optional: f.Optional,
		Requested:    report.Span{At: ptr(int64(f.At)), For: ptr(int64(f.For))},
		Confirmation: string(confirmation), Evidence: map[string]any{},
	}
	for k, n := range f.Evidence {
		v.Evidence[k] = n
	}
	if f.ShadowedBy != "" {
		v.Evidence["shadowedBy"] = f.ShadowedBy
	}
	if f.Struck {
		v.Achieved = report.Span{At: ptr(int64(f.StruckAt)), For: ptr(int64(f.HealedAt - f.StruckAt))}
	}
	if f.Err != nil {
		v.Evidence["error"] = f.Err.Error()
	}
	x.verdict.Faults = append(x.verdict.Faults, v)
	switch {
	case f.Residue:
		x.spoil(expect.Residue, fmt.Errorf("fault %s could not be undone: %w", f.Name, errors.Join(f.Err)))
	case confirmation != faults.Confirmed && !f.Optional:
		why := fmt.Errorf("fault %s (%s) is %s", f.Name, f.Kind, confirmation)
		if f.Err != nil {
			why = fmt.Errorf("%w: %w", why, f.Err)
		}
		x.spoil(expect.Inconclusive, why)
	}
}

// late says that a fault struck when there was nothing left to strike (SCENARIO §4, end of a run).
func late(t *take, f *inject.Result) bool {
	if t.measured == nil {
		return false
	}
	last := vtime.Time(0)
	for i := range t.measured.Workloads {
		w := &t.measured.Workloads[i]
		if w.Finished == vtime.Never {
			return false
		}
		last = max(last, w.Finished)
	}
	return f.StruckAt >= last
}

func moved(m *expect.Measurement) (bytes uint64) {
	for i := range m.Workloads {
		bytes += m.Workloads[i].Bytes
	}
	return bytes
}

func posted(m *expect.Measurement) (n uint64) {
	for i := range m.Workloads {
		n += m.Workloads[i].Posted
	}
	return n
}

func ptr[T any](v T) *T { return &v }
