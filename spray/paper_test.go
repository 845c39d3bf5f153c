package spray_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"github.com/stellarlab/stellarlab/spray"
)

// Stellar §7: with 128 paths, the loss of one path meets 1/128 of the fresh packets.
func TestPaperOneDeadPathMeetsItsShareOfPackets(t *testing.T) {
	for _, n := range []int{4, 128} {
		p := paths(t, spray.Config{Paths: n, Seed: 9})
		const packets = 128 * 100
		lost := 0
		for range packets {
			if p.Pick(0, -1) == 2 {
				lost++
			}
		}
		if want := packets / n; lost != want {
			t.Errorf("%d paths: %d of %d packets meet the dead one, want %d", n, lost, packets, want)
		}
	}
}

// Stellar §7 and figure 12: two RNICs with 16 connections over 60 aggregation switches are even only from 128
// paths on. The switch is a hash of the entropy.
func TestPaperImbalanceOverUplinksNeedsManyPaths(t *testing.T) {
	imbalance := func(n int) float64 {
		var load [60]int
		const packets = 1280
		for qp := range 32 {
			p := paths(t, spray.Config{Paths: n, Seed: seed.Key(qp)})
			for range packets {
				h := seed.Mix(uint64(qp)<<16 | uint64(p.Entropy(p.Pick(0, -1))))
				load[h%60]++
			}
		}
		lo, hi := load[0], load[0]
		for _, l := range load {
			lo, hi = min(lo, l), max(hi, l)
		}
		return float64(hi-lo) * 60 / (32 * packets)
	}
	few, many := imbalance(4), imbalance(128)
	if many > few/3 {
		t.Errorf("(max-min)/mean over 60 uplinks: %.2f with 4 paths, %.2f with 128: want a third at most", few, many)
	}
	t.Logf("(max-min)/mean over 60 uplinks: %.2f with 4 paths, %.2f with 128", few, many)
}

// Stellar §9: one congestion context for all paths, so marks on one path shrink what all may send.
func TestPaperOneWindowForAllPaths(t *testing.T) {
	p := paths(t, spray.Config{Window: 1 << 17, BaseRTT: rtt, Seed: 1})
	full, now := p.Window(), vtime.Time(0)
	for range 100 {
		now = now.Add(2 * rtt)
		p.Acked(now, 0, 4096, rtt, 1)
	}
	if w := p.Window(); w > full/4 {
		t.Errorf("window %d of %d after 100 round trips with marks on one path: want less than a quarter", w, full)
	}
}
