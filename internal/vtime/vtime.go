// Package vtime is the instant that simulated and real runs share: lab time in whole nanoseconds.
// It is not a clock: it never reads one, drivers do and pass the result in.
package vtime

import (
	"math"
	"math/bits"
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

// Bits returns how long n bits take at rate bit/s, rounded up to whole nanoseconds. Rate 0 is no limit.
func Bits(n, rate uint64) time.Duration {
	if rate == 0 {
		return 0
	}
	hi, lo := bits.Mul64(n, uint64(time.Second))
	if hi >= rate {
		return math.MaxInt64
	}
	q, rem := bits.Div64(hi, lo, rate)
	if rem > 0 {
		q++
	}
	if q > math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(q)
}
