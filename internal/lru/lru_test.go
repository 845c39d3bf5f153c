package lru_test

import (
	"slices"
	"testing"

	"github.com/stellarlab/stellarlab/internal/lru"
	"pgregory.net/rapid"
)

// TestSetAgainstAList compares the set with a slice ordered by use.
func TestSetAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		s := lru.Set[int]{Limit: limit}
		var list []int // newest last
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			k := rapid.IntRange(0, 8).Draw(t, "k")
			at := slices.Index(list, k)
			switch rapid.SampledFrom([]string{"touch", "add", "drop", "dropif"}).Draw(t, "op") {
			case "touch":
				if s.Touch(k) != (at >= 0) {
					t.Fatalf("Touch(%d) with %v", k, list)
				}
				if at >= 0 {
					list = append(slices.Delete(list, at, at+1), k)
				}
			case "add":
				left, full := s.Add(k)
				if at >= 0 {
					list = slices.Delete(list, at, at+1)
				}
				if wantFull := at < 0 && len(list) == limit; full != wantFull || full && left != list[0] {
					t.Fatalf("Add(%d) pushed out %d, %v with %v", k, left, full, list)
				}
				if full {
					list = list[1:]
				}
				list = append(list, k)
			case "drop":
				s.Drop(k)
				if at >= 0 {
					list = slices.Delete(list, at, at+1)
				}
			case "dropif":
				odd := func(k int) bool { return k%2 == 1 }
				s.DropIf(odd)
				list = slices.DeleteFunc(list, odd)
			}
			if s.Len() != len(list) {
				t.Fatalf("Len %d, want %v", s.Len(), list)
			}
		}
	})
}

func TestNoLimitContainsEverything(t *testing.T) {
	var s lru.Set[string]
	if _, full := s.Add("a"); full || !s.Touch("b") || s.Len() != 0 {
		t.Error("an unlimited set must keep nothing and contain everything")
	}
}
