package run

import (
	"time"

	"github.com/stellarlab/stellarlab/framework/scenario"
)

// profile is what differs between the labs for the runner.
type profile struct {
	sample time.Duration // of goodput, unless the scenario sets it
	twins  int           // undisturbed runs that make the baseline
	fresh  bool          // each twin gets a lab of its own; else the one that the run uses
	slack  time.Duration // how late timers may be, added to the retry budget of the progress invariant
}

// profileOf returns the profile of the lab of a scenario: virtual time repeats exactly, the rest is noisy.
func profileOf(r *scenario.Resolved) profile {
	p := profile{sample: 50 * time.Millisecond, twins: 3, slack: 250 * time.Millisecond}
	if r.Lab == "sim" {
		p = profile{sample: 100 * time.Microsecond, twins: 1, fresh: true}
	}
	if r.Sample > 0 {
		p.sample = r.Sample
	}
	return p
}
