package sim_test

import (
	"slices"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/sim"
	"pgregory.net/rapid"
)

// TestWheelIsASortedList holds the event queue against a sorted list: near and far events, ties, limits.
func TestWheelIsASortedList(t *testing.T) {
	type event struct {
		at  int64
		seq uint64
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := sim.NewWheel(rapid.SampledFrom([]int64{1, 4096, 1_400_000}).Draw(rt, "span"))
		var ref []event
		now, seq := int64(0), uint64(0)
		take := func(limit int64) bool {
			at, s, ok := w.Take(limit)
			if want := len(ref) > 0 && ref[0].at < limit; ok != want {
				rt.Fatalf("took something %v, want %v", ok, want)
			}
			if !ok {
				return false
			}
			if (event{at, s}) != ref[0] {
				rt.Fatalf("took %d at %d, want %+v", s, at, ref[0])
			}
			ref = ref[1:]
			now = at
			return true
		}
		rt.Repeat(map[string]func(*rapid.T){
			"push": func(rt *rapid.T) {
				far := rapid.SampledFrom([]int64{0, 1, 700, 5000, 2_000_000, 1 << 40}).Draw(rt, "reach")
				for range rapid.IntRange(1, 20).Draw(rt, "n") {
					seq++
					e := event{now + rapid.Int64Range(0, far).Draw(rt, "ahead"), seq}
					w.Push(e.at, e.seq)
					ref = append(ref, e)
				}
				slices.SortStableFunc(ref, func(a, b event) int { return int(min(max(a.at-b.at, -1), 1)) })
			},
			"take": func(rt *rapid.T) {
				limit := now + rapid.Int64Range(0, 1<<22).Draw(rt, "limit")
				for take(limit) {
				}
				now = max(now, limit) // as the simulation's clock does
			},
			"one": func(*rapid.T) { take(1 << 62) },
		})
		for take(1 << 62) {
		}
		if len(ref) > 0 {
			rt.Fatalf("%d events are left", len(ref))
		}
	})
}
