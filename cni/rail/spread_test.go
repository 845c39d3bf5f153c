//go:build linux

package rail_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/cni/rail"
)

func TestPortsSpreadOverRailsAndRepeat(t *testing.T) {
	var spread [2][rails]uint64
	for round := range spread {
		src, _, ends := bundle(t, round, 7)
		before := received(t, ends)
		send(t, src)
		spread[round] = received(t, ends)
		for i := range spread[round] {
			spread[round][i] -= before[i]
			if spread[round][i] == 0 {
				t.Errorf("round %d: no packet over rail %d of %v", round, i, spread[round])
			}
		}
		if n := sum(spread[round]); n != 128 {
			t.Errorf("round %d: %d packets came, want 128", round, n)
		}
	}
	t.Logf("spread %v", spread)
	if rail.HashSeed() && spread[0] != spread[1] {
		t.Errorf("one seed, two spreads: %v", spread)
	}
}
