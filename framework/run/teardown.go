package run

import (
	"errors"
	"fmt"
	"time"

	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/framework/report"
)

// leftover is an error of a teardown that says what it is about.
type leftover interface {
	error
	Left() (kind, identity, owner string)
}

// close tears the lab down, adds the outcome, and writes what is derived from the verdict.
func (x *execution) close() error {
	v := &x.verdict
	v.Teardown = &report.Teardown{Outcome: expect.Pass, Residue: []report.Residue{}}
	broken := x.left
	if x.system != nil {
		x.progress("tear down", 0)
		broken = errors.Join(broken, guard(x.system.Close))
	}
	r := oracle.Residue(broken)
	for _, e := range oracle.Leaves(broken) {
		v.Teardown.Residue = append(v.Teardown.Residue, residue(e, x.id))
	}
	if r.Total > 0 {
		v.Teardown.Outcome = expect.Residue
	}
	if errors.Is(broken, errPanic) {
		v.Teardown.Outcome = expect.Error
	}
	x.residue(&r)
	v.Residue = v.Teardown.Residue
	v.Outcome = expect.Worse(v.Judgement, v.Teardown.Outcome)
	if v.Reason == "" && broken != nil {
		v.Reason = "teardown: " + broken.Error()
	}
	v.WallSeconds = time.Since(x.started).Seconds()
	if x.dir == "" {
		return broken
	}
	junit, err := report.JUnit(v)
	return errors.Join(broken, err, x.dir.write("junit.xml", junit), x.dir.writeJSON("verdict.json", v))
}

// residue adds the last invariant.
func (x *execution) residue(r *oracle.Result) {
	i := report.Invariant{Name: r.Name, Outcome: expect.Pass, Checked: r.Checked, Total: r.Total, Violations: []report.Violation{}}
	for _, w := range r.Violations {
		i.Violations = append(i.Violations, report.Violation{What: w.What})
	}
	if r.Total > 0 {
		i.Outcome, i.Message = expect.Residue, fmt.Sprintf("%d things are left", r.Total)
	}
	x.verdict.Invariants = append(x.verdict.Invariants, i)
}

// residue words what one error of a teardown left.
func residue(err error, owner string) report.Residue {
	var l leftover
	if errors.As(err, &l) {
		kind, identity, owner := l.Left()
		return report.Residue{Kind: kind, Identity: identity, Owner: owner}
	}
	return report.Residue{Kind: "unknown", Identity: err.Error(), Owner: owner}
}
