package simlab_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/yardstick"
)

// cpu is the processor time that the process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSimVsBare runs a permutation of 2 MB flows alternately in the simulator, with integrity checked and every
// invariant judged, and in the bare loop: packet-hops per second of processor time of each, their ratio, and the
// simulator's allocations per packet-hop, building included.
func BenchmarkSimVsBare(b *testing.B) {
	flows := matrix(b, "perm_128_2MB.cm")
	b.Run("invariants", func(b *testing.B) { simVsBare(b, peers, flows, true) })
	b.Run("plain", func(b *testing.B) { simVsBare(b, peers, flows, false) })
	b.Run("1024 hosts", func(b *testing.B) {
		s := shape{leaves: 32, spines: 32, perLeaf: 32, profile: peers.profile}
		var flows []host.Flow
		for i := range int32(1024) { // to a host of another leaf, each gets one
			flows = append(flows, host.Flow{Index: i, From: i, To: (i*37 + 511) % 1024, Size: 2_000_000, Count: 1})
		}
		simVsBare(b, s, flows, true)
	})
}

func simVsBare(b *testing.B, s shape, flows []host.Flow, judged bool) {
	to := make([]int32, s.leaves*s.perLeaf)
	for i := range flows {
		to[flows[i].From] = flows[i].To
	}
	var hops, bareHops, mallocs uint64
	var spent, bareSpent time.Duration
	for range b.N {
		runtime.GC()
		start := cpu(b)
		bareHops += yardstick.Run(yardstick.Config{
			Leaves: s.leaves, HostsPerLeaf: s.perLeaf, Spines: s.spines, Peers: to, Packets: 490,
			Size: 4150, PsPerByte: 80, Delay: 1_000_000,
		}).Hops
		bareSpent += cpu(b) - start

		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start = cpu(b)
		hops += simulate(b, s, flows, judged)
		spent += cpu(b) - start
		runtime.ReadMemStats(&after)
		mallocs += after.Mallocs - before.Mallocs
	}
	rate, bare := float64(hops)/spent.Seconds(), float64(bareHops)/bareSpent.Seconds()
	b.ReportMetric(rate/1e6, "Mhops/cpu-s")
	b.ReportMetric(bare/1e6, "bare-Mhops/cpu-s")
	b.ReportMetric(rate/bare, "ratio")
	b.ReportMetric(float64(mallocs)/float64(hops), "allocs/hop")
}

// simulate builds and runs once, and returns the packet-hops.
func simulate(b *testing.B, s shape, flows []host.Flow, judged bool) uint64 {
	g := s.graph(b)
	l := build(b, framework.Spec{Graph: g, Devices: devices(g), Flows: flows, Run: 7})
	job := framework.Job{Limit: 20_000_000, Sink: event.Discard{}}
	if judged {
		judge := oracle.New(oracle.Config{Graph: g, Devices: devices(g), Flows: flows})
		job.Sink, job.Verify = judge, oracle.NewChecker(l.Guests(), judge)
	}
	o, err := l.Run(b.Context(), job)
	if err != nil {
		b.Fatal(err)
	}
	if !o.Settled {
		b.Fatalf("not settled at %v", o.Ended)
	}
	return l.Hops()
}
