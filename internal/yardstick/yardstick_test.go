package yardstick_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/internal/yardstick"
)

func peers(n int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32((i + n/2 + 1) % n)
	}
	return p
}

// Every packet crosses four links, one event each, and nothing gets lost.
func TestEveryPacketArrives(t *testing.T) {
	cfg := yardstick.Config{
		Leaves: 16, HostsPerLeaf: 8, Spines: 8, Peers: peers(128), Packets: 100,
		Size: 4150, PsPerByte: 80, Delay: 1_000_000,
	}
	r := yardstick.Run(cfg)
	if r.Delivered != 12_800 || r.Hops != 4*12_800 {
		t.Errorf("%+v, want 12,800 packets over four links each", r)
	}
	if least := int64(103*332_000 + 4_000_000); r.End < least || r.End > 2*least {
		t.Errorf("took %d ps, want a little more than %d", r.End, least)
	}
	if again := yardstick.Run(cfg); again != r {
		t.Errorf("%+v, then %+v", r, again)
	}
}

func BenchmarkBare(b *testing.B) {
	hops := uint64(0)
	for range b.N {
		hops += yardstick.Run(yardstick.Config{
			Leaves: 16, HostsPerLeaf: 8, Spines: 8, Peers: peers(128), Packets: 490,
			Size: 4150, PsPerByte: 80, Delay: 1_000_000,
		}).Hops
	}
	b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "hops/s")
}
