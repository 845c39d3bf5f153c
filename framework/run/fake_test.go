package run_test

import (
	"context"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/run"
	"github.com/stellarlab/stellarlab/framework/scenario"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// tick is the time that one message of the fake lab takes: 12,500 bytes, so 10 Gb/s.
const (
	tick = 10 * time.Microsecond
	size = 12500
	qp   = 42
)

// fake is a lab that moves one message per tick, and misbehaves as a test wants.
type fake struct {
	spec  framework.Spec
	layer int // overlays that lie

	idle       bool // the overlay never acts
	stuck      bool // the overlay stays after its removal
	slowed     bool // messages stop while an overlay lies, and until the end
	bad        uint64
	leak       bool
	kernel     uint64 // drops that nothing explains
	panics     bool
	closeError error
	stop       context.CancelFunc
	closed     *int
	posted     uint64
}

func (f *fake) Surfaces() faults.Surfaces { return faults.Surfaces{Links: f} }

func (f *fake) Guests() []host.Guest { return []host.Guest{f, f} }

func (f *fake) Fill(mem.GPA, uint64, uint64) error { return nil }

func (f *fake) Check(mem.GPA, uint64, uint64) (uint64, mem.GPA, error) { return f.bad, 0, nil }

// Lay implements faults.Links.
func (f *fake) Lay(fabric.Dir, fabric.Layer) (faults.Overlay, error) {
	f.layer++
	return &layer{f, true}, nil
}

type layer struct {
	f  *fake
	on bool
}

func (l *layer) Counters() (fabric.Counters, error) {
	if l.f.idle {
		return fabric.Counters{}, nil
	}
	return fabric.Counters{Seen: 10, Matched: 10}, nil
}

func (l *layer) Standing() (bool, error) { return l.on, nil }

func (l *layer) Remove() error {
	if l.on && !l.f.stuck {
		l.on = false
		l.f.layer--
	}
	return nil
}

// Run implements framework.System.
func (f *fake) Run(ctx context.Context, job framework.Job) (*framework.Observation, error) {
	flow := &f.spec.Flows[0]
	_, target := host.Layout(f.spec.Flows)
	base := uint64(target[0])
	emit := func(e event.Event) { job.Sink.Emit(&e) }
	now := vtime.Time(0)
	emit(event.Event{Kind: event.FlowStart, QP: qp})
	end := vtime.Time(flow.For)
	var sent uint64
	for ; now < end && now < job.Limit; now += vtime.Time(tick) {
		if f.panics {
			panic("the lab has a defect")
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if job.Injector != nil && job.Injector.Deadline() <= now {
			job.Injector.Step(now)
		}
		if f.stop != nil && job.Injector != nil && now > end/2 {
			f.stop()
		}
		if f.slowed && job.Injector != nil && now > end/2 {
			continue
		}
		msn := f.posted
		f.posted++
		sent++
		emit(event.Event{At: now, Kind: event.Posted, QP: qp, A: msn, B: msn, C: size, D: base})
		emit(event.Event{At: now + 1, Kind: event.Sent, QP: qp, C: size, D: 0x0a})
		emit(event.Event{At: now + 5000, Kind: event.Placed, Node: 1, QP: 7, A: base, B: size})
		if f.leak && msn == 3 {
			emit(event.Event{At: now + 5000, Kind: event.Placed, Node: 1, QP: 7, A: base - 8, B: 8})
		}
		emit(event.Event{At: now + 9000, Kind: event.Completed, QP: qp, A: msn, C: size, D: msn})
		job.Verify.Verify(now+9000, flow, &host.Endpoint{Node: 1}, &engine.WC{ID: msn, QP: qp, Len: size}, mem.GPA(base), 1)
	}
	for job.Injector != nil && job.Injector.Deadline() < job.Limit {
		now = max(now, job.Injector.Deadline())
		job.Injector.Step(now)
	}
	emit(event.Event{At: now, Kind: event.FlowDone, QP: qp, B: sent * size})
	o := &framework.Observation{Ended: now, Settled: true}
	for d := range 2 * len(f.spec.Graph.Links) {
		p := framework.Port{Dir: fabric.Dir(d), Sent: sent + f.kernel, Delivered: sent}
		p.Dropped[event.DropKernel] = f.kernel
		o.Ports = append(o.Ports, p)
	}
	return o, nil
}

// Close implements framework.System.
func (f *fake) Close() error {
	if f.closed != nil {
		*f.closed++
	}
	return f.closeError
}

// asked is a scenario of two hosts, a 5 ms write and a black hole from 1 to 2 ms.
const asked = `apiVersion: stellarlab.dev/v1alpha1
kind: Scenario
metadata: {name: fake}
spec:
  seed: 7
  limit: 50ms
  topology: {pair: {paths: 1}}
  workloads:
    - name: bulk
      write: {from: host0, to: host1, size: 12500B, time: 5ms}
  faults:
    - name: hole
      at: 1ms
      for: 1ms
      link.blackhole: {link: host0-path0, direction: host0-to-path0}
  expect:
    - integrity: {}
    - recovery: {workload: bulk, after: hole, to: 95%, within: 1ms}
`

// resolved is what is asked, with nothing left to chance.
func resolved(t *testing.T) *scenario.Resolved {
	t.Helper()
	s, err := scenario.Parse("fake.yaml", []byte(asked))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// labs is a table with the fake as the simulator.
func labs(f fake) map[string]run.Build {
	return map[string]run.Build{"sim": func(_ context.Context, s framework.Spec) (framework.System, error) {
		f.spec = s
		g := f
		return &g, nil
	}}
}
