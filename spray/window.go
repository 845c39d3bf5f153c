package spray

import (
	"time"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Parameters of the window. It shrinks with the share of marked packets (DCTCP, RFC 8257) and with the delay
// above its target (Swift), each at most once a round trip, and grows by two packets a round trip, faster while it
// is far below its bound. Loss alone hardly matters: a dead path is not congestion.
const (
	markGain      = 1.0 / 16 // weight of the newest round trip in the smoothed share of marks
	delayGain     = 0.4      // decrease per unit of excess delay
	maxShrink     = 0.5      // of the window, in one round trip
	growth        = 2        // packets per round trip
	fastGrowth    = 8        // packets per round trip while below half of the bound
	lossTolerance = 0.5      // of a window, lost within a round trip, that is taken for a dead path and not for congestion
)

type window struct {
	cwnd, floor, bound float64 // bytes
	mtu                float64
	base, target       time.Duration
	marked, seen       uint32 // packets of this round trip
	share              float64
	minRTT             time.Duration
	end                vtime.Time // of this round trip
	lostBytes          float64    // in this round trip
}

func newWindow(c Config) window {
	return window{
		cwnd: float64(c.Window), bound: float64(c.Window), floor: float64(c.MTU), mtu: float64(c.MTU),
		base: c.BaseRTT, target: c.TargetDelay,
	}
}

func (w *window) bytes() uint64 { return uint64(max(w.cwnd, w.floor)) }

func (w *window) acked(now vtime.Time, n uint32, rtt time.Duration, ce uint32) {
	w.seen++
	w.marked += ce
	if rtt > 0 && (w.minRTT == 0 || rtt < w.minRTT) {
		w.minRTT = rtt
	}
	if w.marked == 0 && rtt <= w.base+w.target {
		grow := growth * w.mtu
		if w.cwnd < w.bound/2 {
			grow = fastGrowth * w.mtu
		}
		w.cwnd = min(w.bound, w.cwnd+grow*float64(n)/w.cwnd)
	}
	if now >= w.end {
		w.turn(now, rtt)
	}
}

// turn ends a round trip.
func (w *window) turn(now vtime.Time, rtt time.Duration) {
	if w.seen > 0 {
		w.share += markGain * (min(1, float64(w.marked)/float64(w.seen)) - w.share)
	}
	cut := 0.0
	if w.marked > 0 {
		cut = w.share / 2
	}
	if excess := w.minRTT - w.base - w.target; excess > 0 {
		cut = max(cut, delayGain*float64(excess)/float64(w.minRTT))
	}
	w.cwnd = max(w.floor, w.cwnd*(1-min(cut, maxShrink)))
	w.marked, w.seen, w.minRTT, w.lostBytes = 0, 0, 0, 0
	w.end = now.Add(max(rtt, w.base))
}

func (w *window) lost(n uint32) {
	w.lostBytes += float64(n)
	if w.lostBytes > w.cwnd*lossTolerance {
		w.cwnd = max(w.floor, w.cwnd-w.lostBytes)
		w.lostBytes = 0
	}
}
