package sim_test

import (
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/sim"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Four hops of 4,150 bytes at 100 Gb/s and 1 µs: 4 · (332 ns + 1 µs), nothing else.
func TestOnePacketByHand(t *testing.T) {
	b := newBench(t, leafspine(t, 2, 2, 1, link, link))
	b.send(0, 1, 1)
	b.drain()
	if got := b.fakes[1].got; len(got) != 1 || got[0].at != 4*(332+1000) {
		t.Fatalf("got %v, want one packet at 5.328µs", got)
	}
	if b.Hops() != 4 || b.Pending() != 0 {
		t.Errorf("%d hops, %d pending, want 4 and none", b.Hops(), b.Pending())
	}
}

// Back to back packets leave one transmission time apart; acknowledgements of 64 bytes take 5.12 ns and are cut
// to whole nanoseconds only where a device sees them.
func TestBackToBackWithoutDrift(t *testing.T) {
	b := newBench(t, star(t, 2, link))
	const n = 1000
	for i := range n {
		b.fakes[0].queue = append(b.fakes[0].queue, wire.Packet{
			Src: fabric.Address(0), Dst: fabric.Address(1), Opcode: wire.Acknowledge, PathSeq: uint32(i),
		})
	}
	b.Touch(0)
	b.drain()
	got := b.fakes[1].got
	if len(got) != n {
		t.Fatalf("%d packets, want %d", len(got), n)
	}
	for i, a := range got {
		if want := vtime.Time((5120*(i+2) + 2_000_000) / 1000); a.at != want {
			t.Fatalf("packet %d at %d ns, want %d", i, a.at, want)
		}
	}
}

// A rate that does not divide 8e12: 30,000 small packets take 30,000 times the exact time, a few picoseconds off
// at most. Cutting each to whole picoseconds would lose 20 ns.
func TestOddRateDoesNotDrift(t *testing.T) {
	p := link
	p.Rate = 3_000_000_000
	p.Delay = 0
	b := newBench(t, star(t, 2, p))
	const n = 30_000
	for range n {
		b.fakes[0].queue = append(b.fakes[0].queue, wire.Packet{
			Src: fabric.Address(0), Dst: fabric.Address(1), Opcode: wire.Acknowledge,
		})
	}
	b.Touch(0)
	b.drain()
	got := b.fakes[1].got
	want := vtime.Time((n + 1) * 64 * 8 / 3)
	if last := got[n-1].at; len(got) != n || last < want-1 || last > want+1 {
		t.Errorf("%d packets, the last at %d ns, want %d at %d", len(got), last, n, want)
	}
}

func TestSizeOnTheWire(t *testing.T) {
	for _, c := range []struct {
		name      string
		data, ack uint32
		p         wire.Packet
		want      uint64
	}{
		{"full", 4150, 64, wire.Packet{Opcode: wire.WriteOnly, Payload: mem.Payload{Len: 4086}}, 4150},
		{"short", 4150, 64, wire.Packet{Opcode: wire.WriteOnly, Payload: mem.Payload{Len: 86}}, 150},
		{"ack", 4150, 64, wire.Packet{Opcode: wire.Acknowledge}, 64},
		{"headers", 0, 0, wire.Packet{Opcode: wire.WriteOnly, Payload: mem.Payload{Len: 4086}}, 4088 + wire.Overhead + wire.Framing},
		{"ack headers", 0, 0, wire.Packet{Opcode: wire.Acknowledge}, wire.AckSize + wire.Framing},
	} {
		b := newBench(t, star(t, 2, link), func(cfg *sim.Config) { cfg.Hosts[0].Data, cfg.Hosts[0].Ack = c.data, c.ack })
		c.p.Src, c.p.Dst = fabric.Address(0), fabric.Address(1)
		b.fakes[0].queue = []wire.Packet{c.p}
		b.Touch(0)
		b.drain()
		if got := b.Ledger(b.dir(t, "host0", "leaf0")).Bytes; got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
	}
}

func TestTimersAndAnswers(t *testing.T) {
	b := newBench(t, star(t, 2, link), func(cfg *sim.Config) { cfg.Hosts[0].PinCost = 100 * time.Microsecond })
	f := b.fakes[0]
	f.due = 5000
	f.requests = []host.Request{
		{Kind: host.Pin, Ticket: 1, Block: mem.Span{Start: 0, Len: 2 << 20}},
		{Kind: host.Pin, Ticket: 2, Block: mem.Span{Start: 2 << 20, Len: 2 << 20}},
		{Kind: host.Fetch, Ticket: 3, Cost: 700 * time.Nanosecond},
		{Kind: host.Pin, Ticket: 4, Block: mem.Span{Start: 64 << 20, Len: 2 << 20}}, // outside the guest
	}
	b.Touch(0)
	f.due = 9000 // later: the timer is late by design and asks again
	b.drain()
	if len(f.ticks) != 1 || f.ticks[0] != 9000 {
		t.Errorf("ticks %v, want one at 9µs", f.ticks)
	}
	type want struct {
		at     vtime.Time
		ticket uint64
		failed bool
	}
	for i, w := range []want{{700, 3, false}, {100_000, 1, false}, {200_000, 2, false}, {300_000, 4, true}} {
		if a := f.answers[i]; a.at != w.at || a.Ticket != w.ticket || (a.Err != nil) != w.failed {
			t.Errorf("answer %d: %+v, want %+v", i, a, w)
		}
	}
}

func TestAdvanceStopsBeforeItsEnd(t *testing.T) {
	b := newBench(t, star(t, 2, link))
	b.send(0, 1, 3)
	at := vtime.Time(2 * 1332)
	if b.Advance(at, nil); len(b.fakes[1].got) != 0 || b.Now() != at {
		t.Fatalf("at %v: %d packets, want none: an event at the end belongs to the next call", b.Now(), len(b.fakes[1].got))
	}
	if halted := b.Advance(at+10_000, func() bool { return len(b.fakes[1].got) == 2 }); !halted || b.Now() != at+332 {
		t.Errorf("halted %v at %v, want at the second packet", halted, b.Now())
	}
}
