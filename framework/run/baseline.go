package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

// needed says whether some expectation compares with an undisturbed run.
func (x *execution) needed() bool {
	return slices.ContainsFunc(x.resolved.Expected, func(e scenario.Expected) bool {
		return e.Params != nil && e.Params.Refs().Baseline
	})
}

// twins takes the baseline: the same plan without faults (SCENARIO §4).
func (x *execution) twins() error {
	if !x.needed() {
		return nil
	}
	var all []*take
	for range x.profile.twins {
		t, err := x.twin()
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	x.baseline = all[0].measured
	source := "twin"
	if n := len(all); n > 1 {
		source = fmt.Sprintf("median of %d twins", n)
		for i := range x.baseline.Workloads {
			x.baseline.Workloads[i] = *median(all, i)
		}
	}
	x.verdict.Baseline = &report.Baseline{Source: source, Digest: all[0].digest}
	return nil
}

// twin lets the flows go once without faults. What its lab leaves behind is residue of the run.
func (x *execution) twin() (t *take, err error) {
	sys := x.system
	if x.profile.fresh {
		if sys, err = x.build(); err != nil {
			return nil, err
		}
		defer func() { x.left = errors.Join(x.left, guard(sys.Close)) }()
	}
	return x.release(sys, false)
}

// median returns the measurements of workload i in the twin whose mean goodput is the median.
func median(all []*take, i int) *expect.Workload {
	ws := make([]*expect.Workload, len(all))
	for n, t := range all {
		ws[n] = &t.measured.Workloads[i]
	}
	mean := func(w *expect.Workload) float64 {
		r, _ := w.Goodput.Rate(w.Loaded)
		return r
	}
	slices.SortStableFunc(ws, func(a, b *expect.Workload) int { return cmp.Compare(mean(a), mean(b)) })
	return ws[len(ws)/2]
}
