package simlab_test

import (
	"fmt"
	"hash/fnv"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/simlab"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// peers is the fabric of 128 hosts that other simulators were measured on.
var peers = shape{leaves: 16, spines: 8, perLeaf: 8, profile: fabric.Profile{
	Rate: 100e9, Delay: time.Microsecond, Queue: 601_750,
	ECN: fabric.ECN{Min: 24_900, Max: 99_600, Probability: 1},
}}

type shape struct {
	leaves, spines, perLeaf int
	profile                 fabric.Profile
}

func (s shape) graph(t testing.TB) *fabric.Graph {
	t.Helper()
	var b fabric.Builder
	var leaves []fabric.NodeID
	for i := range s.leaves * s.perLeaf {
		b.Add(fmt.Sprintf("host%d", i), fabric.TierHost, 0)
	}
	for i := range s.leaves {
		leaves = append(leaves, b.Add(fmt.Sprintf("leaf%d", i), fabric.TierLeaf, uint32(100+i)))
		for h := range s.perLeaf {
			b.Connect(fabric.NodeID(i*s.perLeaf+h), leaves[i], s.profile)
		}
	}
	for i := range s.spines {
		spine := b.Add(fmt.Sprintf("spine%d", i), fabric.TierSpine, uint32(200+i))
		for _, l := range leaves {
			b.Connect(l, spine, s.profile)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// devices are as the comparison with other simulators sets them, memory pinned when it is registered so that
// no flow waits for a pin.
func devices(g *fabric.Graph, alter ...func(*host.Config)) (out []host.Config) {
	for i := range g.Hosts() {
		c := host.Config{
			Node: int32(i), Addr: g.Nodes[i].Addr, Run: 42, Seed: uint64(1000 + i),
			MTU: 4086, Paths: 128, Policy: "oblivious", RTO: 250 * time.Microsecond, Retries: 7,
			Window: 175_284, AckEvery: 16_384, WireData: 4150, WireAck: 64,
			Congestion: host.Congestion{BaseRTT: 9350 * time.Nanosecond, TargetDelay: 9350 * time.Nanosecond},
			Memory:     host.Memory{Guest: 64 << 30, Pin: host.PinRegistered, Block: 2 << 20, PD: 1},
		}
		for _, f := range alter {
			f(&c)
		}
		out = append(out, c)
	}
	return out
}

// watcher keeps what the tests ask for, and digests everything.
type watcher struct {
	digest  uint64
	events  uint64
	first   vtime.Time
	last    vtime.Time
	ended   map[uint64]vtime.Time // by flow
	failed  uint64
	resent  int
	placed  uint64 // bytes
	drops   [event.DropCauses]int
	bad     int
	pins    int
	misses  int
	ordered bool
}

func newWatcher() *watcher { return &watcher{ended: map[uint64]vtime.Time{}, ordered: true} }

// Emit implements event.Sink.
func (w *watcher) Emit(e *event.Event) {
	h := fnv.New64a()
	fmt.Fprintln(h, w.digest, *e)
	w.digest = h.Sum64()
	if w.events++; w.events == 1 {
		w.first = e.At
	}
	w.ordered = w.ordered && e.At >= w.last
	w.last = e.At
	switch e.Kind {
	case event.FlowDone:
		w.ended[e.A] = e.At
		w.failed += e.C
	case event.Sent:
		if e.B&event.SentRetransmit != 0 {
			w.resent++
		}
	case event.Placed:
		w.placed += e.B
	case event.Dropped:
		w.drops[e.A]++
	case event.BadAccess:
		w.bad++
	case event.MemReady:
		w.pins++
	case event.NeedEntry:
		w.misses++
	}
}

// verifier compares target memory after each message.
type verifier struct {
	guests   []host.Guest
	messages int
	wrong    uint64
	latest   vtime.Time
}

// Verify implements host.Verifier.
func (v *verifier) Verify(now vtime.Time, f *host.Flow, target *host.Endpoint, _ *engine.WC, gpa mem.GPA, tag uint64) {
	v.messages++
	v.latest = now
	bad, _, err := v.guests[target.Node].Check(gpa, uint64(f.Size), tag)
	if err != nil {
		bad = uint64(f.Size)
	}
	v.wrong += bad
}

// result is one run of a lab.
type result struct {
	*watcher
	*verifier
	obs *framework.Observation
}

// plan is an injector of acts at instants.
type plan struct {
	at   []vtime.Time
	act  []func(now vtime.Time)
	shut int
}

func (p *plan) Deadline() vtime.Time {
	if len(p.at) == 0 {
		return vtime.Never
	}
	return p.at[0]
}

func (p *plan) Step(now vtime.Time) {
	for len(p.at) > 0 && p.at[0] <= now {
		p.act[0](now)
		p.at, p.act = p.at[1:], p.act[1:]
	}
}

func (p *plan) Close(vtime.Time) { p.shut++ }

func build(t testing.TB, spec framework.Spec) *simlab.Lab {
	t.Helper()
	s, err := simlab.Build(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*simlab.Lab)
}

func run(t testing.TB, l *simlab.Lab, limit vtime.Time, inj framework.Injector) result {
	t.Helper()
	r := result{watcher: newWatcher(), verifier: &verifier{guests: l.Guests()}}
	var err error
	r.obs, err = l.Run(t.Context(), framework.Job{Limit: limit, Sink: r.watcher, Verify: r.verifier, Injector: inj})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.obs.Ports {
		dropped := uint64(0)
		for _, n := range p.Dropped {
			dropped += n
		}
		if p.Sent+p.Duplicated != p.Delivered+dropped+p.InFlight {
			t.Errorf("port %+v does not balance", p)
		}
	}
	if !r.ordered {
		t.Error("events are not in order of lab time")
	}
	return r
}

// clean checks that every message arrived whole and nothing failed.
func (r *result) clean(t testing.TB, flows []host.Flow) {
	t.Helper()
	messages := 0
	for i := range flows {
		messages += int(flows[i].Count)
		if _, ok := r.ended[uint64(flows[i].Index)]; !ok {
			t.Errorf("flow %d did not end", i)
		}
	}
	if r.messages != messages || r.wrong > 0 || r.failed > 0 || r.bad > 0 || !r.obs.Settled {
		t.Errorf("%d of %d messages compared, %d bytes wrong, %d failed, %d bad accesses, settled %v at %v",
			r.messages, messages, r.wrong, r.failed, r.bad, r.obs.Settled, r.obs.Ended)
	}
}

func (s shape) dir(t testing.TB, g *fabric.Graph, name string) fabric.Dir {
	t.Helper()
	for d := range fabric.Dir(2 * len(g.Links)) {
		if g.DirName(d) == name {
			return d
		}
	}
	t.Fatalf("no direction %s", name)
	return 0
}
