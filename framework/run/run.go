package run

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/framework/scenario"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Build makes a lab. An error that wraps errors.ErrUnsupported means that this machine cannot, and that nothing
// was touched.
type Build func(ctx context.Context, spec framework.Spec) (framework.System, error)

// Options say where and how a scenario is run.
type Options struct {
	Labs     map[string]Build // by name
	Out      string           // where the run directory is made; empty: nothing is written
	StateDir string           // where the write-ahead undo log goes
	Progress func(Progress)   // called from the lab's loop; nil: nobody looks
}

// Progress says how far a run has come.
type Progress struct {
	Stage string     // what is going on: build, baseline, run, tear down
	Now   vtime.Time // lab time
	Limit vtime.Time // the latest end
}

// Run runs a scenario once. The verdict is never nil. The error says why there is no proper judgement: a defect of
// the harness, a lab that cannot be built, files that cannot be written; a failed expectation is none.
func Run(ctx context.Context, r *scenario.Resolved, o Options) (*report.Verdict, error) {
	x := &execution{ctx: ctx, resolved: r, options: o, profile: profileOf(r)}
	x.begin()
	err := guard(x.open)
	if err == nil {
		err = guard(x.run)
	}
	if err != nil {
		x.broke(err)
	}
	if e := x.dir.writeJSON("verdict.json", &x.verdict); e != nil { // the judgement lasts before teardown begins
		err = errors.Join(err, e)
		x.spoil(expect.Error, e)
	}
	if e := guard(x.close); e != nil {
		err = errors.Join(err, e)
	}
	return &x.verdict, err
}

// Directory is where a run of these options left its files.
func (o Options) Directory(v *report.Verdict) string { return filepath.Join(o.Out, v.Run) }

// begin fills in what is known beforehand.
func (x *execution) begin() {
	r := x.resolved
	x.started = time.Now()
	x.id = strings.ToLower(rand.Text()[:8])
	x.verdict = report.Verdict{
		Schema:   report.Schema,
		Scenario: report.Scenario{Name: r.Name},
		Run:      fmt.Sprintf("%s-%s-%d-%s", r.Name, r.Lab, r.Seed, x.id),
		Lab:      r.Lab, Seed: r.Seed,
		Judgement:    expect.Pass,
		Started:      x.started.UTC().Format(time.RFC3339),
		SampleNanos:  int64(x.profile.sample),
		Expectations: []report.Expectation{}, Invariants: []report.Invariant{}, Faults: []report.Fault{},
		Workloads: []report.Workload{}, Paths: []report.Path{}, Ports: []report.Port{}, Residue: []report.Residue{},
	}
}

// open makes the run directory and writes down what was asked.
func (x *execution) open() (err error) {
	if x.verdict.Scenario.Digest, err = x.resolved.Digest(); err != nil {
		return err
	}
	if x.options.Out == "" {
		return nil
	}
	dir := x.options.Directory(&x.verdict)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	x.dir = directory(dir)
	plan, err := x.resolved.EncodePlan()
	if err != nil {
		return err
	}
	return errors.Join(
		x.dir.write("scenario.yaml", x.resolved.Text),
		x.dir.write("plan.yaml", plan),
		x.dir.writeJSON("environment.json", Surroundings()),
	)
}

// broke judges a run that did not come to its end.
func (x *execution) broke(err error) {
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		x.spoil(expect.Unsupported, err)
	case x.ctx.Err() != nil && !errors.Is(err, errPanic):
		x.spoil(expect.Interrupted, err)
	default:
		x.spoil(expect.Error, err)
	}
}

// spoil makes the judgement at least as bad as o.
func (x *execution) spoil(o expect.Outcome, why error) {
	if worse := expect.Worse(x.verdict.Judgement, o); worse != x.verdict.Judgement {
		x.verdict.Judgement, x.verdict.Reason = worse, why.Error()
	}
}

// errPanic marks a panic that was turned into an error.
var errPanic = errors.New("panic")

// guard turns a panic into an error, so that a defect does not keep a lab from being torn down.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, r, debug.Stack())
		}
	}()
	return f()
}
