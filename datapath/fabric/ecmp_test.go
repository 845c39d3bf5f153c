package fabric_test

import (
	"math"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
)

// flows calls f with the digests of n flows as a spraying host makes them: one pair, consecutive ports.
func flows(n int, f func(digest uint64)) {
	for i := range n {
		f(fabric.Tuple{
			Src: fabric.Address(fabric.NodeID(i / 512)), Dst: fabric.Address(9),
			Sport: uint16(49152 + i%512), Dport: 4791, Proto: 17,
		}.Digest())
	}
}

func TestECMPSpreads(t *testing.T) {
	for _, ways := range []int{2, 3, 7, 8, 60} {
		count := make([]int, ways)
		salt := fabric.Salt(&fabric.Node{Seed: 5, Tier: fabric.TierLeaf})
		const n = 1 << 16
		flows(n, func(d uint64) { count[fabric.Pick(fabric.ECMP(d, salt), ways)]++ })
		mean := float64(n) / float64(ways)
		for i, c := range count {
			if math.Abs(float64(c)-mean) > 5*math.Sqrt(mean) {
				t.Errorf("%d ways: %d flows on way %d, want about %.0f", ways, c, i, mean)
			}
		}
	}
}

func TestTiersDoNotPolarise(t *testing.T) {
	first := fabric.Salt(&fabric.Node{Seed: 1, Tier: fabric.TierLeaf})
	second := fabric.Salt(&fabric.Node{Seed: 2, Tier: fabric.TierSpine})
	var count [4][4]int
	const n = 1 << 16
	flows(n, func(d uint64) { count[fabric.Pick(fabric.ECMP(d, first), 4)][fabric.Pick(fabric.ECMP(d, second), 4)]++ })
	for i := range count {
		for j, c := range count[i] {
			if math.Abs(float64(c)-n/16) > 5*math.Sqrt(n/16) {
				t.Errorf("way %d then %d: %d flows, want about %d", i, j, c, n/16)
			}
		}
	}
}

func TestHostAndSwitchOfOneSeedDiffer(t *testing.T) {
	if fabric.Salt(&fabric.Node{Seed: 1}) == fabric.Salt(&fabric.Node{Seed: 1, Tier: fabric.TierLeaf}) {
		t.Error("a host hashes like a switch of the same seed")
	}
}

func TestRepickIsIndependentOfPick(t *testing.T) {
	var count [8][7]int
	salt := fabric.Salt(&fabric.Node{Seed: 5, Tier: fabric.TierLeaf})
	const n = 1 << 16
	flows(n, func(d uint64) {
		h := fabric.ECMP(d, salt)
		count[fabric.Pick(h, 8)][fabric.Repick(h, 7)]++
	})
	for i := range count {
		for j, c := range count[i] {
			if math.Abs(float64(c)-n/56) > 5*math.Sqrt(n/56) {
				t.Errorf("way %d dead, then %d of the rest: %d flows, want about %d", i, j, c, n/56)
			}
		}
	}
}
