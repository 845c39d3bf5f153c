// Package vtime is the instant that simulated and real runs share: lab time in whole nanoseconds.
// It is not a clock: it never reads one, drivers do and pass the result in.
package vtime

import (
	"math"
	"time"
)

// Time is an instant of lab time, in nanoseconds since release (SCENARIO §4). The zero value is the
// release itself; instants before it, while a lab is being built, are negative.
type Time int64

// Never is later than every instant: the deadline of something that waits for nothing.
const Never Time = math.MaxInt64

// Add returns t shifted by d, saturating at Never, so that Never plus anything positive stays Never.
func (t Time) Add(d time.Duration) Time {
	s := t + Time(d)
	if d > 0 && s < t {
		return Never
	}
	return s
}

// Sub returns the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// String prints t as a duration since release, or "never".
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	return time.Duration(t).String()
}
