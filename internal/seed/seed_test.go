package seed_test

import (
	"math/bits"
	"testing"

	"github.com/stellarlab/stellarlab/internal/seed"
)

func TestStreamsAreNamedAndRepeatable(t *testing.T) {
	a, b := seed.Derive(7, "fault/grey").Rand(), seed.Derive(7, "fault/grey").Rand()
	other := seed.Derive(7, "fault/gray").Rand()
	same := 0
	for range 100 {
		x := a.Uint64()
		if x != b.Uint64() {
			t.Fatal("equal seed and name give different streams")
		}
		if x == other.Uint64() {
			same++
		}
	}
	if same > 0 {
		t.Errorf("two names share %d of 100 draws", same)
	}
	if seed.Derive(7, "a") == seed.Derive(8, "a") {
		t.Error("the seed does not matter")
	}
}

func TestMixAvalanche(t *testing.T) {
	flips := 0
	for i := range 64 {
		flips += bits.OnesCount64(seed.Mix(0x1234) ^ seed.Mix(0x1234^1<<i))
	}
	if mean := float64(flips) / 64; mean < 24 || mean > 40 {
		t.Errorf("one input bit flips %.1f output bits on average", mean)
	}
}
