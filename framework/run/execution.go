package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/stellarlab/stellarlab/datapath/journal"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/faults/inject"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/framework/scenario"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// execution is one run on its way.
type execution struct {
	ctx      context.Context
	resolved *scenario.Resolved
	options  Options
	profile  profile
	id       string // short, for names of kernel objects
	started  time.Time
	dir      directory
	system   framework.System
	left     error // what the twins' labs left behind
	baseline *expect.Measurement
	verdict  report.Verdict
}

// timed is a lab in which time passes while a fault acts.
type timed interface{ Now() vtime.Time }

// logged is a lab with a write-ahead undo log.
type logged interface{ Undo() inject.Undo }

// take is what one release of the flows gave.
type take struct {
	observed   *framework.Observation
	measured   *expect.Measurement
	invariants []oracle.Result // empty for a twin
	faults     []inject.Result // empty for a twin
	digest     string
	events     uint64
}

// run builds the lab, takes the baseline, runs the plan and judges.
func (x *execution) run() error {
	if err := x.supported(); err != nil {
		return err
	}
	if x.profile.fresh {
		if err := x.twins(); err != nil {
			return err
		}
	}
	sys, err := x.build()
	if err != nil {
		return err
	}
	x.system = sys
	if m := missing(x.resolved, sys.Surfaces()); m != nil {
		return m
	}
	if !x.profile.fresh {
		if err := x.twins(); err != nil {
			return err
		}
	}
	got, err := x.release(sys, true)
	if got != nil {
		x.judge(got)
	}
	return err
}

// supported says whether the lab is there at all.
func (x *execution) supported() error {
	if x.options.Labs[x.resolved.Lab] == nil {
		return fmt.Errorf("lab %q is not in this build: %w", x.resolved.Lab, errors.ErrUnsupported)
	}
	return nil
}

// missing names the surfaces that the plan needs and the lab lacks.
func missing(r *scenario.Resolved, s faults.Surfaces) error {
	var errs []error
	for i := range r.Plan.Faults {
		f := &r.Plan.Faults[i]
		k, ok := faults.Lookup(f.Kind)
		if !ok {
			return fmt.Errorf("fault %s: kind %q is not in the catalogue", f.Name, f.Kind)
		}
		if m := s.Missing(k); m != "" {
			errs = append(errs, fmt.Errorf("fault %s: lab %s has no surface %s, which %s needs: %w", f.Name, r.Lab, m, f.Kind, errors.ErrUnsupported))
		}
	}
	return errors.Join(errs...)
}

// build makes a lab.
func (x *execution) build() (framework.System, error) {
	x.progress("build", 0)
	r := x.resolved
	spec := framework.Spec{
		Graph: r.Graph, Devices: r.Devices, Flows: r.Flows, Name: x.id,
		Run: r.Run, StateDir: x.options.StateDir, Shape: r.Shape, Sample: x.profile.sample,
	}
	sys, err := x.options.Labs[r.Lab](x.ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("build lab %s: %w", r.Lab, err)
	}
	return sys, nil
}

// release lets the flows go once: with the plan, the judge and the journal, or as an undisturbed twin.
func (x *execution) release(sys framework.System, full bool) (*take, error) {
	var in oracle.Inlet
	meter := expect.NewMeter(x.meterConfig())
	checker := oracle.NewChecker(sys.Guests(), &in)
	sinks := event.Tee{meter}
	var judge *oracle.Judge
	var executor *inject.Executor
	out, err := x.journal(full)
	if err != nil {
		return nil, err
	}
	book := journal.NewWriter(out)
	sinks = append(sinks, book)
	job := framework.Job{Limit: vtime.Time(x.resolved.Limit), Verify: checker}
	stage := "baseline"
	if full {
		stage = "run"
		judge = oracle.New(x.judgeConfig(sys))
		sinks = append(sinks, judge)
		if executor, err = x.injector(sys, &in); err != nil {
			return nil, errors.Join(err, out.Close())
		}
		job.Injector = executor
	}
	stream := in.Into(sinks)
	job.Sink = stream
	job.Progress = func(now vtime.Time) { x.progress(stage, now) }
	observed, err := sys.Run(x.ctx, job)
	if executor != nil {
		executor.Close(x.ended(sys, observed))
	}
	stream.Flush()
	err = errors.Join(err, book.Close(), out.Close())
	if err != nil {
		return x.partial(executor), fmt.Errorf("%s: %w", stage, err)
	}
	t := &take{observed: observed, measured: meter.Finish(observed.Ended), digest: book.Digest(), events: book.Events()}
	if full {
		t.invariants = judge.Finish(oracle.End{Observation: observed, Checked: checker.Messages()})
		t.faults = executor.Results()
	}
	return t, nil
}

// partial keeps what is known of the faults of a run that broke off: their undo may have failed.
func (x *execution) partial(e *inject.Executor) *take {
	if e == nil {
		return nil
	}
	return &take{faults: e.Results()}
}

// ended is the lab time at which the run stopped.
func (x *execution) ended(sys framework.System, o *framework.Observation) vtime.Time {
	if o != nil {
		return o.Ended
	}
	if t, ok := sys.(timed); ok {
		return t.Now()
	}
	return vtime.Time(x.resolved.Limit)
}

// injector prepares the plan.
func (x *execution) injector(sys framework.System, sink event.Sink) (*inject.Executor, error) {
	opt := inject.Options{Sink: sink}
	if t, ok := sys.(timed); ok {
		opt.Clock = t.Now
	}
	if l, ok := sys.(logged); ok {
		opt.Undo = l.Undo()
	}
	return inject.New(&x.resolved.Plan, sys.Surfaces(), opt)
}

// journal opens the file of the events, or nothing for a twin or a run without a directory.
func (x *execution) journal(full bool) (io.WriteCloser, error) {
	if !full || x.dir == "" {
		return nowhere{io.Discard}, nil
	}
	f, err := os.OpenFile(x.dir.path(journalFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return &buffered{bufio.NewWriterSize(f, 1<<20), f}, nil
}

// journalFile is the name of the journal in the run directory.
const journalFile = "journal.bin"

type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }

// buffered is a file with a buffer before it, synced on close.
type buffered struct {
	*bufio.Writer
	file *os.File
}

func (b *buffered) Close() error { return errors.Join(b.Flush(), b.file.Sync(), b.file.Close()) }

func (x *execution) progress(stage string, now vtime.Time) {
	if x.options.Progress != nil {
		x.options.Progress(Progress{stage, now, vtime.Time(x.resolved.Limit)})
	}
}
