package faults_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/faults"
)

// TestJudge is the rule for confirmations, target by target.
func TestJudge(t *testing.T) {
	type target struct {
		seen, matched, masked uint64
		chance                float64
	}
	for _, c := range []struct {
		name    string
		rule    faults.Rule
		fallen  bool
		targets []target
		want    faults.Confirmation
	}{
		{"black hole", faults.ByTraffic, false, []target{{9, 9, 0, 1}}, faults.Confirmed},
		{"black hole that lets one through", faults.ByTraffic, false, []target{{9, 8, 0, 1}}, faults.Refuted},
		{"idle", faults.ByTraffic, false, []target{{0, 0, 0, 1}}, faults.Unmeasured},
		{"one link of many lets all through", faults.ByTraffic, false, []target{{1e6, 1e6, 0, 1}, {0, 0, 0, 1}, {3, 0, 0, 1}}, faults.Refuted},
		{"hidden all its life", faults.ByTraffic, false, []target{{9, 0, 9, 1}}, faults.Unmeasured},
		{"loss as asked", faults.ByTraffic, false, []target{{100000, 1010, 0, 0.01}}, faults.Confirmed},
		{"loss that does nothing", faults.ByTraffic, false, []target{{100000, 0, 0, 0.01}}, faults.Refuted},
		{"too little loss", faults.ByTraffic, false, []target{{100000, 800, 0, 0.01}}, faults.Refuted},
		{"too much loss", faults.ByTraffic, false, []target{{100000, 1200, 0, 0.01}}, faults.Refuted},
		{"masked counts as drawn", faults.ByTraffic, false, []target{{100000, 500, 510, 0.01}}, faults.Confirmed},
		{"too few packets to tell", faults.ByTraffic, false, []target{{100, 0, 0, 0.01}}, faults.Unmeasured},
		{"loss that one target has and another has not", faults.ByTraffic, false, []target{{100000, 1010, 0, 0.01}, {100000, 0, 0, 0.01}}, faults.Refuted},
		{"zero never acts", faults.ByTraffic, false, []target{{100000, 0, 0, 0}}, faults.Unmeasured},
		{"zero that acts", faults.ByTraffic, false, []target{{100000, 1, 0, 0}}, faults.Refuted},
		{"pages went", faults.ByTraffic, false, []target{{4, 900, 0, -1}}, faults.Confirmed},
		{"packets lost where nothing lies", faults.ByTraffic, true, []target{{9, 9, 0, 1}}, faults.Refuted},
		{"down and idle", faults.ByState, false, []target{{0, 0, 0, -1}}, faults.Confirmed},
		{"down, and packets are lost", faults.ByState, false, []target{{5, 5, 0, -1}}, faults.Confirmed},
		{"down, and a packet comes through", faults.ByState, false, []target{{5, 4, 0, -1}}, faults.Refuted},
		{"up", faults.ByState, true, []target{{5, 5, 0, -1}}, faults.Refuted},
	} {
		e := faults.Evidence{Rule: c.rule, Stood: !c.fallen}
		for _, x := range c.targets {
			e.Add(fabric.Counters{Seen: x.seen, Matched: x.matched, Masked: x.masked}, x.chance)
		}
		if got := e.Judge(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
