//go:build linux

package sock

import (
	"sync/atomic"
	"time"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// lead is how far before release lab time starts: longer than any lab takes to build, so that it is negative
// until Release.
const lead = time.Hour

// Clock is lab time: the monotonic clock since release (SCENARIO §4). It never runs backwards: it starts at
// -1h and jumps to 0 once, at the first Release. It is safe for concurrent use.
type Clock struct {
	epoch    time.Time
	shift    atomic.Int64 // nanoseconds added to the time since epoch
	released atomic.Bool
}

// NewClock returns a clock that is not released.
func NewClock() *Clock {
	c := &Clock{epoch: time.Now()}
	c.shift.Store(-int64(lead))
	return c
}

// Now is the present instant.
func (c *Clock) Now() vtime.Time {
	return vtime.Time(int64(time.Since(c.epoch)) + c.shift.Load())
}

// Release makes this instant lab time 0, the first time, and returns the present lab time: 0, or where
// a later release of the same lab begins. Devices must be idle.
func (c *Clock) Release() vtime.Time {
	if c.released.CompareAndSwap(false, true) {
		c.shift.Store(-int64(time.Since(c.epoch)))
		return 0
	}
	return c.Now()
}
