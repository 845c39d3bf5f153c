package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/sim"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// fake is a device without a transport: it sends what is in its queue and keeps what it gets.
type fake struct {
	queue    []wire.Packet
	got      []arrival
	rejected []event.RejectCause
	requests []host.Request
	answers  []answer
	due      vtime.Time
	ticks    []vtime.Time
}

type arrival struct {
	at vtime.Time
	p  wire.Packet
}

type answer struct {
	at vtime.Time
	host.Answer
}

func (f *fake) Receive(now vtime.Time, p *wire.Packet) {
	f.got = append(f.got, arrival{now, *p})
	if b := p.Payload.Bytes; b != nil {
		f.got[len(f.got)-1].p.Payload.Bytes = append([]byte(nil), b...)
	}
}

func (f *fake) Reject(_ vtime.Time, cause event.RejectCause) { f.rejected = append(f.rejected, cause) }
func (f *fake) Idle() bool                                   { return len(f.queue) == 0 }
func (f *fake) Answer(now vtime.Time, a host.Answer)         { f.answers = append(f.answers, answer{now, a}) }
func (f *fake) Evict(vtime.Time, []mem.Span) []host.Request  { return nil }

func (f *fake) Next(_ vtime.Time, p *wire.Packet) bool {
	if len(f.queue) == 0 {
		return false
	}
	*p = f.queue[0]
	f.queue = f.queue[1:]
	return true
}

func (f *fake) Tick(now vtime.Time) {
	f.ticks = append(f.ticks, now)
	f.due = vtime.Never
}

func (f *fake) Deadline() vtime.Time {
	if f.due == 0 {
		return vtime.Never
	}
	return f.due
}

func (f *fake) Request(vtime.Time) (host.Request, bool) {
	if len(f.requests) == 0 {
		return host.Request{}, false
	}
	r := f.requests[0]
	f.requests = f.requests[1:]
	return r, true
}

// bench is a simulation over fakes.
type bench struct {
	*sim.Sim
	graph  *fabric.Graph
	fakes  []*fake
	events []event.Event
	seq    uint32
}

// Emit keeps what happens.
func (b *bench) Emit(e *event.Event) { b.events = append(b.events, *e) }

func newBench(t testing.TB, g *fabric.Graph, alter ...func(*sim.Config)) *bench {
	t.Helper()
	b := &bench{graph: g}
	cfg := sim.Config{Graph: g, Seed: 7, Sink: b}
	for i := range g.Hosts() {
		m, err := sim.NewMemory(sim.MemoryConfig{Node: int32(i), Size: 64 << 20, Sink: b})
		if err != nil {
			t.Fatal(err)
		}
		f := &fake{}
		b.fakes = append(b.fakes, f)
		cfg.Hosts = append(cfg.Hosts, sim.Host{Device: f, Memory: m, MTU: 4086, Data: 4150, Ack: 64})
	}
	for _, f := range alter {
		f(&cfg)
	}
	s, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Sim = s
	return b
}

// send queues n full packets from one host to another, each on a path of its own, and starts the NIC.
func (b *bench) send(from, to, n int) {
	for range n {
		b.seq++
		b.fakes[from].queue = append(b.fakes[from].queue, wire.Packet{
			Src: fabric.Address(fabric.NodeID(from)), Dst: fabric.Address(fabric.NodeID(to)),
			Entropy: uint16(49152 + b.seq%997), ECN: 2,
			Opcode: wire.WriteOnly, DestQP: 17, PSN: b.seq, Path: uint16(b.seq % 128), PathSeq: b.seq / 128,
			MessageLen: 4086, Flags: wire.First | wire.Last,
			Payload: mem.Payload{Len: 4086, Tag: 5, Off: uint64(b.seq) * 4086},
		})
	}
	b.Touch(int32(from))
}

func (b *bench) drain() { b.Advance(vtime.Never, nil) }

func (b *bench) dir(t testing.TB, from, to string) fabric.Dir {
	t.Helper()
	for d := range fabric.Dir(2 * len(b.graph.Links)) {
		if b.graph.DirName(d) == from+"-to-"+to {
			return d
		}
	}
	t.Fatalf("no link from %s to %s", from, to)
	return 0
}

// balanced checks every ledger and returns the packets in flight.
func (b *bench) balanced(t interface{ Fatalf(string, ...any) }) (inFlight uint64) {
	for d := range fabric.Dir(2 * len(b.graph.Links)) {
		l := b.Ledger(d)
		dropped := uint64(0)
		for _, n := range l.Dropped {
			dropped += n
		}
		if l.Sent+l.Duplicated != l.Delivered+dropped+l.InFlight {
			t.Fatalf("%s at %v: %+v does not balance", b.graph.DirName(d), b.Now(), l)
		}
		inFlight += l.InFlight
	}
	return inFlight
}

var link = fabric.Profile{Rate: 100e9, Delay: time.Microsecond}

// leafspine is two tiers, links named as scenarios do.
func leafspine(t testing.TB, leaves, spines, perLeaf int, down, up fabric.Profile) *fabric.Graph {
	t.Helper()
	var b fabric.Builder
	var hosts, ls, ss []fabric.NodeID
	for i := range leaves * perLeaf {
		hosts = append(hosts, b.Add(fmt.Sprintf("host%d", i), fabric.TierHost, 0))
	}
	for i := range leaves {
		ls = append(ls, b.Add(fmt.Sprintf("leaf%d", i), fabric.TierLeaf, uint32(100+i)))
	}
	for i := range spines {
		ss = append(ss, b.Add(fmt.Sprintf("spine%d", i), fabric.TierSpine, uint32(200+i)))
	}
	for i, h := range hosts {
		b.Connect(h, ls[i/perLeaf], down)
	}
	for _, l := range ls {
		for _, s := range ss {
			b.Connect(l, s, up)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// star is hosts around one switch.
func star(t testing.TB, hosts int, p fabric.Profile) *fabric.Graph {
	t.Helper()
	return leafspine(t, 1, 0, hosts, p, p)
}
