//go:build linux

package sock

import (
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Lateness is a distribution of how much later than asked a wait ended.
type Lateness struct {
	Samples       int
	P50, P99, Max time.Duration
}

// lateness sums samples up, and sorts them.
func lateness(samples []time.Duration) Lateness {
	if len(samples) == 0 {
		return Lateness{}
	}
	slices.Sort(samples)
	at := func(q float64) time.Duration {
		return samples[min(len(samples)-1, int(math.Ceil(q*float64(len(samples))))-1)]
	}
	return Lateness{Samples: len(samples), P50: at(0.5), P99: at(0.99), Max: samples[len(samples)-1]}
}

// interval is what the probe waits for (SCENARIO §4, jitter).
const interval = time.Millisecond

// Jitter is the probe of a run: a thread that waits 1 ms over and over, as a device loop waits, and notes
// how late it is. A claim finer than its P99 is not to be made.
type Jitter struct {
	stop chan struct{}
	once sync.Once
	done chan struct{}
	late []time.Duration
}

// StartJitter starts a probe.
func StartJitter() *Jitter {
	j := &Jitter{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(j.done)
		own()
		for {
			select {
			case <-j.stop:
				return
			default:
				j.late = append(j.late, overslept(interval))
			}
		}
	}()
	return j
}

// Stop ends the probe, waits for it, and returns what it saw. Stopping twice gives the same.
func (j *Jitter) Stop() Lateness {
	j.once.Do(func() { close(j.stop) })
	<-j.done
	return lateness(slices.Clone(j.late))
}

// overslept waits d on the calling thread and returns how much longer it took.
func overslept(d time.Duration) time.Duration {
	start := time.Now()
	for left := d; left > 0; left = d - time.Since(start) {
		ts := unix.NsecToTimespec(int64(left))
		if _, err := unix.Ppoll(nil, &ts, nil); err != nil && err != unix.EINTR {
			break
		}
	}
	return max(0, time.Since(start)-d)
}
