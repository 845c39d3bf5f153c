package simlab_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/simlab"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

var small = shape{leaves: 2, spines: 4, perLeaf: 2, profile: fabric.Profile{
	Rate: 100e9, Delay: time.Microsecond, Queue: 1 << 20,
	ECN: fabric.ECN{Min: 50_000, Max: 200_000, Probability: 1},
}}

// cross is one flow from every host to one at the other leaf.
func cross(count uint64) (out []host.Flow) {
	for i := range int32(4) {
		out = append(out, host.Flow{Index: i, From: i, To: (i + 2) % 4, Size: 200_000, Depth: 2, Count: count})
	}
	return out
}

func onDemand(c *host.Config) { c.Memory.Pin = host.OnDemand }

func TestFlowsComplete(t *testing.T) {
	g := small.graph(t)
	flows := cross(5)
	l := build(t, framework.Spec{Graph: g, Devices: devices(g), Flows: flows, Run: 1})
	r := run(t, l, 50_000_000, nil)
	r.clean(t, flows)
	if r.resent > 0 || r.placed != 4*5*200_000 || r.obs.Opened != 4 {
		t.Errorf("%d sent again, %d bytes placed, %d flows ended", r.resent, r.placed, r.obs.Opened)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Run(t.Context(), framework.Job{Limit: 1}); err == nil {
		t.Error("a closed lab ran")
	}
}

func TestPinningOnDemandTakesItsTime(t *testing.T) {
	g := small.graph(t)
	flows := cross(1)
	for i := range flows {
		flows[i].Cold = true
	}
	r := run(t, build(t, framework.Spec{Graph: g, Devices: devices(g, onDemand), Flows: flows}), 50_000_000, nil)
	r.clean(t, flows)
	// Each host sends from and receives into its first block: one pin of 340 µs before the first byte is read.
	if r.pins != 4 || r.obs.Ended < 340_000 || r.obs.Ended > 1_500_000 {
		t.Errorf("%d pins, ended at %v: want 4 and a little more than one pin", r.pins, r.obs.Ended)
	}
}

// A second run of the same lab starts at 0 again, goes on with the message numbers, and balances on its own.
func TestRunAgain(t *testing.T) {
	g := small.graph(t)
	flows := cross(3)
	l := build(t, framework.Spec{Graph: g, Devices: devices(g), Flows: flows, Run: 1})
	first := run(t, l, 50_000_000, nil)
	first.clean(t, flows)
	second := run(t, l, 50_000_000, nil)
	second.clean(t, flows)
	for _, r := range []result{first, second} {
		if r.first != 0 || r.watcher.last > r.obs.Ended || r.latest > r.obs.Ended || r.obs.Ended > 2*first.obs.Ended {
			t.Errorf("events from %v to %v, last message compared at %v, ended at %v: times do not start at the release",
				r.first, r.watcher.last, r.latest, r.obs.Ended)
		}
	}
}

func TestLimitStopsAndTheNextRunStillWorks(t *testing.T) {
	g := small.graph(t)
	flows := cross(50)
	l := build(t, framework.Spec{Graph: g, Devices: devices(g), Flows: flows, Run: 1})
	inj := &plan{at: []vtime.Time{1 << 40}, act: []func(vtime.Time){func(vtime.Time) {}}}
	r := run(t, l, 100_000, inj)
	if r.obs.Settled || r.obs.Ended != 100_000 || inj.shut == 0 {
		t.Errorf("settled %v at %v, injector closed %d times: want neither settled nor later than the limit", r.obs.Settled, r.obs.Ended, inj.shut)
	}
	if again := run(t, l, 100_000_000, nil); !again.obs.Settled || again.wrong > 0 || again.failed > 0 {
		t.Errorf("after it: settled %v, %d bytes wrong, %d failed", again.obs.Settled, again.wrong, again.failed)
	}
}

func TestSameSpecSameEvents(t *testing.T) {
	once := func(procs int) (uint64, uint64) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		g := small.graph(t)
		l := build(t, framework.Spec{Graph: g, Devices: devices(g, onDemand), Flows: cross(10), Run: 9})
		s := l.Surfaces()
		var o faults.Overlay
		inj := &plan{
			at: []vtime.Time{0, 600_000, 700_000, 750_000},
			act: []func(vtime.Time){
				func(vtime.Time) {
					for _, l := range []fabric.Layer{{Loss: 0.05, Key: 5}, {Corrupt: 0.05, Key: 6}} {
						if _, err := s.Links.Lay(small.dir(t, g, "leaf0-to-spine1"), l); err != nil {
							t.Error(err)
						}
					}
				},
				func(vtime.Time) {
					blocks, err := s.Pages.Mapped(2)
					if err != nil || len(blocks) == 0 {
						t.Errorf("nothing mapped: %v", err)
					}
					if pages, err := s.Pages.Evict(2, blocks); err != nil || pages == 0 {
						t.Errorf("%d pages went: %v", pages, err)
					}
				},
				func(vtime.Time) {
					var err error
					if o, err = s.Links.Lay(small.dir(t, g, "leaf0-to-spine2"), fabric.Layer{Down: true}); err != nil {
						t.Error(err)
					}
				},
				func(vtime.Time) {
					if err := o.Remove(); err != nil {
						t.Error(err)
					}
				},
			},
		}
		r := run(t, l, 100_000_000, inj)
		r.clean(t, cross(10))
		if r.drops[event.DropLoss] == 0 || r.drops[event.DropICRC] == 0 || r.resent == 0 {
			t.Errorf("drops %v, %d sent again: nothing happened", r.drops, r.resent)
		}
		return r.digest, r.events
	}
	digest, events := once(1)
	for _, procs := range []int{1, 2} {
		if d, n := once(procs); d != digest || n != events {
			t.Errorf("on %d processors: %d events with digest %#x, first %d with %#x", procs, n, d, events, digest)
		}
	}
}

func TestMissStormDelaysAndIsCounted(t *testing.T) {
	g := small.graph(t)
	flows := cross(2)
	l := build(t, framework.Spec{Graph: g, Devices: devices(g), Flows: flows})
	o, err := l.Surfaces().Translation.Miss(1, faults.Misses{Rate: 0.2, Cost: time.Microsecond, Key: 3})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, l, 50_000_000, nil)
	r.clean(t, flows)
	c, err := o.Counters()
	if err != nil || c.Matched == 0 || c.Matched >= c.Seen || r.misses != int(c.Matched) {
		t.Errorf("%+v (%v), %d misses in the events", c, err, r.misses)
	}
	if standing, _ := o.Standing(); !standing {
		t.Error("not standing")
	}
	if err := errors.Join(o.Remove(), o.Remove()); err != nil {
		t.Error(err)
	}
	if standing, _ := o.Standing(); standing {
		t.Error("standing after it was removed")
	}
}

// trigger is an injector that waits for the first completion and acts a microsecond later.
type trigger struct {
	*watcher
	due, acted vtime.Time
}

func (w *trigger) Emit(e *event.Event) {
	if e.Kind == event.Completed && w.acted == 0 && w.due == vtime.Never {
		w.due = e.At + 1000
	}
	w.watcher.Emit(e)
}

func (w *trigger) Deadline() vtime.Time { return w.due }

func (w *trigger) Step(now vtime.Time) { w.acted, w.due = now, vtime.Never }

func (w *trigger) Close(vtime.Time) {}

func TestAnInjectorMayWaitForAnEvent(t *testing.T) {
	g := small.graph(t)
	l := build(t, framework.Spec{Graph: g, Devices: devices(g), Flows: cross(5)})
	w := &trigger{watcher: newWatcher(), due: vtime.Never}
	due := vtime.Time(0)
	sink := event.Tee{w, sinkFunc(func(*event.Event) {
		if due == 0 && w.due != vtime.Never {
			due = w.due
		}
	})}
	if _, err := l.Run(t.Context(), framework.Job{Limit: 50_000_000, Sink: sink, Injector: w}); err != nil {
		t.Fatal(err)
	}
	if due == 0 || w.acted != due {
		t.Errorf("due at %v, acted at %v", due, w.acted)
	}
}

type sinkFunc func(*event.Event)

func (f sinkFunc) Emit(e *event.Event) { f(e) }

func TestContextStopsTheRun(t *testing.T) {
	g := small.graph(t)
	l := build(t, framework.Spec{Graph: g, Devices: devices(g), Flows: cross(1000)})
	ctx, cancel := context.WithCancel(t.Context())
	inj := &plan{at: []vtime.Time{50_000}, act: []func(vtime.Time){func(vtime.Time) { cancel() }}}
	if _, err := l.Run(ctx, framework.Job{Limit: 1 << 40, Injector: inj}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
	if inj.shut == 0 {
		t.Error("the injector was not closed")
	}
}

// stuck is an injector that is always due.
type stuck struct{ plan }

func (*stuck) Deadline() vtime.Time { return 0 }
func (*stuck) Step(vtime.Time)      {}

func TestAnInjectorThatIsStuckIsAnError(t *testing.T) {
	g := small.graph(t)
	l := build(t, framework.Spec{Graph: g, Devices: devices(g), Flows: cross(1)})
	if _, err := l.Run(t.Context(), framework.Job{Limit: 1000, Injector: &stuck{}}); err == nil {
		t.Error("no error")
	}
}

func TestBuildRefusesWhatDoesNotFit(t *testing.T) {
	g := small.graph(t)
	good := devices(g)
	for name, spec := range map[string]framework.Spec{
		"no graph":      {Devices: good},
		"few devices":   {Graph: g, Devices: good[:3]},
		"other address": {Graph: g, Devices: devices(g, func(c *host.Config) { c.Addr++ })},
		"to itself":     {Graph: g, Devices: good, Flows: []host.Flow{{From: 1, To: 1}}},
		"to nobody":     {Graph: g, Devices: good, Flows: []host.Flow{{From: 1, To: 4}}},
		"odd block":     {Graph: g, Devices: devices(g, func(c *host.Config) { c.Memory.Block = 5000 })},
	} {
		if _, err := simlab.Build(t.Context(), spec); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
