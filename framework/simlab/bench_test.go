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

// BenchmarkSimVsBare runs the permutation of 128 hosts alternately in the simulator, with integrity checked and every
// invariant judged, and in the bare loop: packet-hops per second of processor time of each, their ratio, and the
// simulator's allocations per packet-hop, building included.
func BenchmarkSimVsBare(b *testing.B) {
	flows := matrix(b, "perm_128_2MB.cm")
	b.Run("invariants", func(b *testing.B) { simVsBare(b, flows, true) })
	b.Run("plain", func(b *testing.B) { simVsBare(b, flows, false) })
}

func simVsBare(b *testing.B, flows []host.Flow, judged bool) {
	to := make([]int32, 128)
	for i := range flows {
		to[flows[i].From] = flows[i].To
	}
	var hops, bareHops, mallocs uint64
	var spent, bareSpent time.Duration
	for range b.N {
		runtime.GC()
		start := cpu(b)
		bareHops += yardstick.Run(yardstick.Config{
			Leaves: 16, HostsPerLeaf: 8, Spines: 8, Peers: to, Packets: 490,
			Size: 4150, PsPerByte: 80, Delay: 1_000_000,
		}).Hops
		bareSpent += cpu(b) - start

		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start = cpu(b)
		hops += simulate(b, flows, judged)
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
func simulate(b *testing.B, flows []host.Flow, judged bool) uint64 {
	g := peers.graph(b)
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
