//go:build linux

package sock

import (
	"runtime"
	"sync"
	"time"
)

// MinFloor is the lowest retransmission floor that Floor returns. A machine that is quiet while it is measured
// need not stay so: with 5 ms, other work on it made four hosts send one packet in a hundred twice.
const MinFloor = 10 * time.Millisecond

// Floor is the retransmission timeout that a lab of n device loops can keep on this machine without taking a
// descheduled peer for a lost packet: a device's RTO is to be the larger of the one that was asked for and
// this. It puts n threads to work as busy loops work, measures for span how late a waiting thread is among
// them, and allows three times the P99: once for each of the two loops of a round trip, and once for what was
// not seen. The lateness is returned for the report. A timeout that comes too early all the same costs a
// packet sent twice, nothing else.
func Floor(n int, span time.Duration) (time.Duration, Lateness) {
	stop := make(chan struct{})
	var busy sync.WaitGroup
	for range n {
		busy.Go(func() {
			own()
			for {
				select {
				case <-stop:
					return
				default:
					work(200 * time.Microsecond)
					overslept(DefaultNap)
				}
			}
		})
	}
	var late []time.Duration
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		own()
		for start := time.Now(); time.Since(start) < span; {
			late = append(late, overslept(250*time.Microsecond))
		}
	}()
	<-measured
	close(stop)
	busy.Wait()
	l := lateness(late)
	return max(MinFloor, 3*l.P99).Round(100 * time.Microsecond), l
}

// work keeps the thread busy for d: about a batch of packets.
func work(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
		runtime.KeepAlive(start)
	}
}
