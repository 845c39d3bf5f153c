package vtime_test

import (
	"math"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

func TestAddSaturatesAtNever(t *testing.T) {
	if got := vtime.Never.Add(time.Second); got != vtime.Never {
		t.Errorf("Never + 1s = %v", got)
	}
	if got := vtime.Time(5).Add(-7); got != -2 {
		t.Errorf("5 - 7 = %v", got)
	}
	if got := vtime.Time(math.MaxInt64 - 1).Add(5); got != vtime.Never {
		t.Errorf("overflow = %v", got)
	}
}

func TestBitsRoundsUpAndSaturates(t *testing.T) {
	for _, c := range []struct {
		n, rate uint64
		want    time.Duration
	}{
		{4150 * 8, 100e9, 332},
		{64 * 8, 100e9, 6}, // 5.12 ns
		{1, 1, time.Second},
		{5, 0, 0},
		{0, 7, 0},
		{math.MaxUint64, 1, math.MaxInt64},
		{math.MaxUint64, 2, math.MaxInt64},
	} {
		if got := vtime.Bits(c.n, c.rate); got != c.want {
			t.Errorf("Bits(%d, %d) = %d, want %d", c.n, c.rate, got, c.want)
		}
	}
}
