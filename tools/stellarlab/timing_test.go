package main_test

import (
	"strings"
	"testing"
)

// Where a fault lies beside the traffic and the limit decides what can be said of it.
func TestFaultsBesideTheTraffic(t *testing.T) {
	const (
		outlasts = "  faults:\n  - {name: f, at: 2us, for: 5ms, link.blackhole: {link: host0-path0}}\n"
		beyond   = "  faults:\n  - {name: f, at: 2us, for: 1h, link.loss: {link: host0-path0, p: 10%}}\n"
		optional = "  faults:\n  - {name: f, at: 10ms, for: 1ms, optional: true, link.blackhole: {link: host0-path0}}\n"
		recovers = "  - recovery: {workload: bulk, after: f, to: 90%, within: 1ms}\n"
	)
	for name, c := range map[string]struct {
		text string
		exit int
	}{
		"heals after the traffic":                     {small + outlasts, 0},
		"heals after the limit":                       {small + beyond, 0},
		"traffic ends before recovery could be shown": {small + recovers + outlasts, 2},
		"strikes after the traffic":                   {small + late, 2},
		"may be met by nothing":                       {small + optional, 0},
		"strikes at the limit":                        {small + strings.Replace(late, "10ms", "20ms", 1), 64},
	} {
		t.Run(name, func(t *testing.T) {
			if stdout, stderr, exit := here(t, "run", file(t, c.text), "--out", t.TempDir()); exit != c.exit {
				t.Errorf("exit %d, want %d\n%s%s", exit, c.exit, stdout, stderr)
			}
		})
	}
}
