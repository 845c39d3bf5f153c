package sim_test

import (
	"fmt"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/sim"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// pair is two hosts joined by paths, one switch each.
func pair(t testing.TB, paths int) *fabric.Graph {
	t.Helper()
	var b fabric.Builder
	b.Add("host0", fabric.TierHost, 0)
	b.Add("host1", fabric.TierHost, 0)
	for i := range paths {
		s := b.Add(fmt.Sprintf("path%d", i), fabric.TierLeaf, uint32(i))
		b.Connect(0, s, link)
		b.Connect(1, s, link)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A host with four ports uses all of them at once, and none holds more than a few packets.
func TestSeveralPorts(t *testing.T) {
	b := newBench(t, pair(t, 4))
	const n = 4000
	b.send(0, 1, n)
	for at := vtime.Time(0); b.Busy() > 0; at += 500 {
		b.Advance(at, nil)
		for i := range 4 {
			// On the wire for 1 µs + 332 ns: five packets; in front of it at most what the NIC lets wait.
			if l := b.Ledger(b.dir(t, "host0", fmt.Sprintf("path%d", i))); l.InFlight > 5+4+1 {
				t.Fatalf("%d packets on one port at %v", l.InFlight, b.Now())
			}
		}
	}
	b.drain()
	got := b.fakes[1].got
	if len(got) != n {
		t.Fatalf("%d arrived, want %d", len(got), n)
	}
	// Four ports at full rate take n/4 packet times; the hash costs something.
	if last := got[n-1].at; last > 332*n/4*5/4 {
		t.Errorf("took %v: the ports were not busy together", last)
	}
}

func TestSeveralPortsOneDown(t *testing.T) {
	b := newBench(t, pair(t, 4))
	b.lay(t, "host0", "path2", fabric.Layer{Down: true})
	b.send(0, 1, 300)
	b.drain()
	if len(b.fakes[1].got) != 300 || b.Ledger(b.dir(t, "host0", "path2")).Sent != 0 {
		t.Errorf("%d arrived of 300, %d went to the dead port", len(b.fakes[1].got), b.Ledger(b.dir(t, "host0", "path2")).Sent)
	}
}

// A packet has to arrive before its device can be idle or busy: Busy follows the devices.
func TestBusyFollowsTheDevices(t *testing.T) {
	b := newBench(t, star(t, 2, link))
	if b.Busy() != 0 {
		t.Errorf("%d busy at the start", b.Busy())
	}
	b.send(0, 1, 3) // one is on the wire, two are left
	if b.Busy() != 1 {
		t.Errorf("%d busy, want 1", b.Busy())
	}
	b.drain()
	if b.Busy() != 0 {
		t.Errorf("%d busy at the end", b.Busy())
	}
}

// restless is due for ever.
type restless struct{ fake }

func (*restless) Deadline() vtime.Time { return 100 }

func TestADeviceThatStopsTheClockIsADefect(t *testing.T) {
	b := newBench(t, star(t, 2, link), func(cfg *sim.Config) { cfg.Hosts[0].Device = &restless{} })
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	b.Touch(0)
	b.drain()
}

func TestValidateNamesEveryField(t *testing.T) {
	g := star(t, 2, fabric.Profile{Delay: -1, ECN: fabric.ECN{Min: 2, Max: 1}})
	_, err := sim.New(sim.Config{Graph: g, Hosts: []sim.Host{{Data: 10, MTU: 20}}})
	j, ok := err.(interface{ Unwrap() []error })
	if !ok || len(j.Unwrap()) != 7 { // number of hosts; no device, data size; two links with ECN and delay each
		t.Errorf("got %v", err)
	}
	if _, err := sim.New(sim.Config{}); err == nil {
		t.Error("no graph, no error")
	}
}
