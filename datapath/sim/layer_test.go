package sim_test

import (
	"bytes"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/sim"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/seed"
)

func (b *bench) lay(t *testing.T, from, to string, l fabric.Layer) *sim.Overlay {
	t.Helper()
	o, err := b.Lay(b.dir(t, from, to), l)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func counters(t *testing.T, o *sim.Overlay) fabric.Counters {
	t.Helper()
	c, err := o.Counters()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drops counts the Dropped events of a direction by cause, and checks who is credited.
func (b *bench) drops(t *testing.T, d fabric.Dir, cause event.DropCause, fault uint64) (n uint64) {
	t.Helper()
	for _, e := range b.events {
		if e.Kind == event.Dropped && e.Node == int32(d) && e.A == uint64(cause) {
			n++
			if e.C != fault {
				t.Errorf("drop credited to %d, want %d", e.C, fault)
			}
		}
	}
	return n
}

func TestBlackhole(t *testing.T) {
	b := newBench(t, star(t, 3, link))
	o := b.lay(t, "host0", "leaf0", fabric.Layer{Fault: 4, Blackhole: true})
	b.send(0, 2, 10)
	b.send(1, 2, 10)
	b.drain()
	d := b.dir(t, "host0", "leaf0")
	if c := counters(t, o); c != (fabric.Counters{Seen: 10, Matched: 10}) {
		t.Errorf("%+v, want 10 seen and matched", c)
	}
	if n := b.drops(t, d, event.DropBlackhole, 5); n != 10 || b.Ledger(d).Dropped[event.DropBlackhole] != 10 {
		t.Errorf("%d drops, ledger %+v, want 10", n, b.Ledger(d))
	}
	if len(b.fakes[2].got) != 10 {
		t.Errorf("%d packets of the bystander, want 10", len(b.fakes[2].got))
	}
	if standing, _ := o.Standing(); !standing {
		t.Error("not standing")
	}
	for range 2 {
		if err := o.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	if standing, _ := o.Standing(); standing {
		t.Error("standing after it was removed")
	}
	b.send(0, 2, 5)
	b.drain()
	if len(b.fakes[2].got) != 15 || counters(t, o).Seen != 10 {
		t.Errorf("%d packets, %+v, want 5 more and no more counted", len(b.fakes[2].got), counters(t, o))
	}
}

// Loss hits exactly the packets that fabric.Draw says.
func TestLossIsTheSharedDraw(t *testing.T) {
	b := newBench(t, star(t, 2, link))
	key := seed.Derive(3, "loss")
	o := b.lay(t, "leaf0", "host1", fabric.Layer{Loss: 0.3, Key: key})
	const n = 1000
	want := map[uint32]bool{}
	for i := uint32(1); i <= n; i++ {
		if !fabric.Draw(key, fabric.Identity(fabric.Address(0), 17, uint16(i%128), i/128), 0.3) {
			want[i] = true
		}
	}
	b.send(0, 1, n)
	b.drain()
	for _, a := range b.fakes[1].got {
		if !want[a.p.PSN] {
			t.Fatalf("packet %d got through", a.p.PSN)
		}
	}
	if len(b.fakes[1].got) != len(want) {
		t.Errorf("%d got through, want %d", len(b.fakes[1].got), len(want))
	}
	if c := counters(t, o); c.Seen != n || c.Matched != uint64(n-len(want)) || c.Masked != 0 {
		t.Errorf("%+v, want %d matched", c, n-len(want))
	}
}

// What is on its way when the carrier goes is lost at once; the near end stops using the port, the far side does
// not learn; the link works again when the layer is gone.
func TestDown(t *testing.T) {
	b := newBench(t, star(t, 2, link))
	b.send(0, 1, 10)
	b.Advance(2500, nil) // four packets have left the host whole, three have come to the switch
	up := b.dir(t, "host0", "leaf0")
	flying := b.Ledger(up).InFlight
	o := b.lay(t, "host0", "leaf0", fabric.Layer{Down: true, Fault: 1})
	if flying == 0 || b.Ledger(up).InFlight != 0 || counters(t, o).Matched != flying {
		t.Fatalf("%d were in flight, now %d, matched %d: want all lost", flying, b.Ledger(up).InFlight, counters(t, o).Matched)
	}
	arrived := b.Ledger(up).Delivered
	b.drain()
	if c := counters(t, o); c.Matched != 10-arrived || c.Seen != c.Matched {
		t.Errorf("%+v, want %d matched", c, 10-arrived)
	}
	if n := b.drops(t, up, event.DropDown, 2); n != 10-arrived {
		t.Errorf("%d drops, want %d", n, 10-arrived)
	}
	if len(b.fakes[1].got) != int(arrived) {
		t.Errorf("%d arrived, want %d", len(b.fakes[1].got), arrived)
	}
	if err := o.Remove(); err != nil {
		t.Fatal(err)
	}
	b.send(0, 1, 3)
	b.drain()
	if len(b.fakes[1].got) != int(arrived)+3 {
		t.Errorf("%d arrived, want 3 more", len(b.fakes[1].got))
	}
	b.balanced(t)
}

// The queue of a port goes with the carrier: the first packet after it finds the port free.
func TestDownEmptiesTheQueue(t *testing.T) {
	b := newBench(t, star(t, 3, link))
	b.send(0, 2, 50)
	b.send(1, 2, 50)
	b.Advance(50*332, nil) // some 20 packets wait for host2
	o := b.lay(t, "leaf0", "host2", fabric.Layer{Down: true})
	if err := o.Remove(); err != nil {
		t.Fatal(err)
	}
	before := len(b.fakes[2].got)
	b.Advance(b.Now()+332+1000+332, nil)
	if len(b.fakes[2].got) == before {
		t.Error("nothing arrived within two packet times and the delay: the port still sends what is lost")
	}
}

func TestDownPortLeavesTheSetAtItsSwitchOnly(t *testing.T) {
	b := newBench(t, leafspine(t, 2, 4, 1, link, link))
	// The link leaf0-spine1 goes, by a layer of either direction: leaf0 goes round it, spine1 still gets what leaf1
	// sends through it and has no way on.
	far := b.lay(t, "leaf0", "spine1", fabric.Layer{Down: true, Fault: 2})
	b.send(0, 1, 400)
	b.send(1, 0, 400)
	b.drain()
	if len(b.fakes[1].got) != 400 || b.Ledger(b.dir(t, "leaf0", "spine1")).Sent != 0 {
		t.Errorf("%d of 400 went round", len(b.fakes[1].got))
	}
	in := b.dir(t, "leaf1", "spine1")
	lost := b.Ledger(in).Dropped[event.DropNoRoute]
	if lost < 50 || lost > 150 || len(b.fakes[0].got) != int(400-lost) {
		t.Errorf("%d lost at the far side, %d arrived of 400, want about 100 lost", lost, len(b.fakes[0].got))
	}
	if n := b.drops(t, in, event.DropNoRoute, 3); n != lost || counters(t, far).Matched != lost {
		t.Errorf("%d drops, %+v, want %d credited", n, counters(t, far), lost)
	}
	b.balanced(t)
}

// Flows whose path lives do not move when another path dies (FAULTS law 4).
func TestBystandersKeepTheirPath(t *testing.T) {
	count := func(down bool) (sent [4]uint64) {
		b := newBench(t, leafspine(t, 2, 4, 1, link, link))
		if down {
			b.lay(t, "leaf0", "spine1", fabric.Layer{Down: true})
		}
		b.send(0, 1, 1)
		b.fakes[0].queue = nil
		for i := range 200 {
			if p := (wire.Packet{
				Src: fabric.Address(0), Dst: fabric.Address(1), Entropy: uint16(i), Opcode: wire.WriteOnly, PSN: uint32(i),
			}); true {
				b.fakes[0].queue = append(b.fakes[0].queue, p)
			}
		}
		b.Touch(0)
		b.drain()
		for i := range sent {
			sent[i] = b.Ledger(b.dir(t, "leaf0", []string{"spine0", "spine1", "spine2", "spine3"}[i])).Sent
		}
		return sent
	}
	before, after := count(false), count(true)
	moved := uint64(0)
	for _, i := range []int{0, 2, 3} {
		if after[i] < before[i] {
			t.Errorf("spine%d had %d packets, now %d: a flow moved away", i, before[i], after[i])
		}
		if d := after[i] - before[i]; d < before[1]/5 {
			t.Errorf("spine%d took over %d of %d packets: those that moved must spread", i, d, before[1])
		}
		moved += after[i] - before[i]
	}
	if after[1] != 0 || moved != before[1] || before[1] == 0 {
		t.Errorf("before %v, after %v", before, after)
	}
}

// Corruption is found by the ICRC of the real bytes, and nothing else rejects it.
func TestCorrupt(t *testing.T) {
	b := newBench(t, leafspine(t, 2, 2, 1, link, link))
	first := b.lay(t, "host0", "leaf0", fabric.Layer{Fault: 0, Corrupt: 0.5, Key: 11})
	second := b.lay(t, "leaf1", "host1", fabric.Layer{Fault: 1, Corrupt: 0.2, Key: 12})
	const n = 400
	b.send(0, 1, n)
	b.drain()
	in := b.dir(t, "leaf1", "host1")
	c1, c2 := counters(t, first), counters(t, second)
	l := b.Ledger(in)
	rejected := l.Dropped[event.DropICRC]
	if c1.Matched < n/3 || c2.Matched < n/10 || c2.Seen != n {
		t.Fatalf("%+v and %+v: too few to tell", c1, c2)
	}
	if got := b.Ledger(b.dir(t, "host0", "leaf0")).Corrupted; got != c1.Matched || l.Corrupted != c2.Matched {
		t.Errorf("corrupted %d and %d, want %d and %d", got, l.Corrupted, c1.Matched, c2.Matched)
	}
	both := c1.Matched + c2.Matched - rejected // altered twice, rejected once
	if rejected < max(c1.Matched, c2.Matched) || both > c2.Matched || len(b.fakes[1].got) != int(n-rejected) {
		t.Errorf("%d rejected, %d arrived of %d; altered %d and %d", rejected, len(b.fakes[1].got), n, c1.Matched, c2.Matched)
	}
	if len(b.fakes[1].rejected) != int(rejected) {
		t.Errorf("the device was told of %d, want %d", len(b.fakes[1].rejected), rejected)
	}
	for _, r := range b.fakes[1].rejected {
		if r != event.RejectICRC {
			t.Fatalf("rejected for cause %d, want the ICRC", r)
		}
	}
	b.balanced(t)
	if b.Pending() != 0 {
		t.Errorf("%d packets leaked", b.Pending())
	}
}

// A bit that flips twice is as it was: then the packet is good, and bears the mark that a queue has set meanwhile.
func TestFlippedTwiceIsWhole(t *testing.T) {
	p := link
	p.ECN = fabric.ECN{Min: 1, Max: 1}
	b := newBench(t, star(t, 3, p))
	for _, from := range []string{"host0", "host1"} {
		b.lay(t, from, "leaf0", fabric.Layer{Corrupt: 1, Key: 4})
	}
	b.lay(t, "leaf0", "host2", fabric.Layer{Corrupt: 1, Key: 4})
	b.send(0, 2, 2)
	b.send(1, 2, 2)
	b.drain()
	got := b.fakes[2].got
	if len(got) != 4 || len(b.fakes[2].rejected) != 0 {
		t.Fatalf("%d packets, %d rejected, want 4 and none", len(got), len(b.fakes[2].rejected))
	}
	for i, a := range got {
		want := mem.Payload{Len: 4086, Tag: 5, Off: uint64(a.p.PSN) * 4086}
		if !bytes.Equal(a.p.Payload.Bytes, want.AppendTo(nil)) {
			t.Errorf("packet %d: other bytes than were sent", i)
		}
		if marked := a.p.ECN == 3 && a.p.Flags&wire.CE != 0; marked != (i > 0) {
			t.Errorf("packet %d: marked %v", i, marked)
		}
	}
	b.balanced(t)
}

func TestECMPSpreadsOverSpines(t *testing.T) {
	b := newBench(t, leafspine(t, 2, 8, 1, link, link))
	const n = 8000
	for i := range n {
		b.fakes[0].queue = append(b.fakes[0].queue, wire.Packet{
			Src: fabric.Address(0), Dst: fabric.Address(1), Entropy: uint16(i), Opcode: wire.WriteOnly,
			Payload: mem.Payload{Len: 256},
		})
	}
	b.Touch(0)
	b.drain()
	for d := range fabric.Dir(2 * len(b.graph.Links)) {
		if n := b.graph.From(d); b.graph.Nodes[n].Name != "leaf0" || b.graph.Nodes[b.graph.To(d)].Host() {
			continue
		}
		if s := b.Ledger(d).Sent; s < 840 || s > 1160 {
			t.Errorf("%s: %d packets, want about 1000", b.graph.DirName(d), s)
		}
	}
}

func TestUnknownDestination(t *testing.T) {
	b := newBench(t, star(t, 2, link))
	b.fakes[0].queue = []wire.Packet{
		{Src: fabric.Address(0), Dst: 1, Opcode: wire.Acknowledge},
		{Src: fabric.Address(0), Dst: fabric.Address(0), Opcode: wire.Acknowledge},
	}
	b.Touch(0)
	b.drain()
	if l := b.Ledger(b.dir(t, "host0", "leaf0")); l.Sent != 2 || l.Dropped[event.DropNoRoute] != 2 || b.Pending() != 0 {
		t.Errorf("%+v, %d pending: want both dropped for want of a route", l, b.Pending())
	}
}
