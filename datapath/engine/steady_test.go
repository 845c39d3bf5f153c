package engine_test

import (
	"runtime"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
)

// Messages that are answered one by one leave nothing behind in the transport.
func TestSteadyStateNeedsNoMemory(t *testing.T) {
	p := open(t, engine.Config{})
	p.ends[1].mem.noTrace = true
	var k, ack wire.Packet
	var wcs [1]engine.WC
	a, b := p.ends[0], p.ends[1]
	wr := engine.WR{LKey: key, RKey: key, Len: mtu}
	exchange := func(n int) {
		for range n {
			p.now = p.now.Add(hop)
			if err := a.Post(p.now, a.qpn, wr); err != nil {
				t.Fatal(err)
			}
			if !a.Next(p.now, &k) {
				t.Fatal("nothing to send")
			}
			b.Receive(p.now, &k)
			if !b.Next(p.now, &ack) {
				t.Fatal("nothing acknowledged")
			}
			a.Receive(p.now, &ack)
			if a.Poll(wcs[:]) != 1 || wcs[0].Status != engine.Success {
				t.Fatalf("completed %+v", wcs[0])
			}
		}
	}
	exchange(1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	exchange(50_000)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 50_000 {
		t.Errorf("%d bytes allocated for 50,000 messages", grown)
	}
}

// A packet from another address, or for a number that nobody has, changes nothing.
func TestStrangersAreRefused(t *testing.T) {
	p := open(t, engine.Config{})
	p.must(t, 1, 0, mtu)
	var k wire.Packet
	if !p.ends[0].Next(p.now, &k) {
		t.Fatal("nothing to send")
	}
	n := p.ends[1]
	for cause, change := range map[event.RejectCause]func(*wire.Packet){
		event.RejectStranger:  func(k *wire.Packet) { k.Src = 99 },
		event.RejectUnknownQP: func(k *wire.Packet) { k.DestQP = 99 },
	} {
		forged := k
		change(&forged)
		n.Receive(p.now, &forged)
		if n.count.rejected[cause] != 1 || len(n.mem.placed) != 0 || n.Ready() {
			t.Errorf("cause %d: rejected %v, placed %v", cause, n.count.rejected, n.mem.placed)
		}
	}
	n.Receive(p.now, &k)
	p.finish(t, engine.Success)
}
