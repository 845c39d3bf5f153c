package engine

import (
	"time"

	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// maxBackoff is how often the timeout doubles: to 16 times.
const maxBackoff = 4

// estimator is the round trip as RFC 6298 smooths it.
type estimator struct {
	floor, rto   time.Duration
	smooth, vary time.Duration
}

// sample takes one measured round trip.
func (r *estimator) sample(rtt time.Duration) {
	if r.smooth == 0 {
		r.smooth, r.vary = rtt, rtt/2
	} else {
		r.vary += (max(r.smooth-rtt, rtt-r.smooth) - r.vary) / 4
		r.smooth += (rtt - r.smooth) / 8
	}
	r.rto = max(r.floor, r.smooth+4*r.vary)
}

// timeout is how long a transmission at a level of backoff may go unacknowledged now.
func (t *requester) timeout(level int) time.Duration { return t.rtt.rto << level }

// level is how often the timeout of a packet's next transmission doubles: once per timeout of that packet without
// progress. It is the packet's own: a window that is lost whole is found lost at once, not packet after packet.
func (t *requester) level(r *record) int {
	if r.epoch != t.epoch {
		return 0
	}
	return min(int(r.retries), maxBackoff)
}

// Tick lets the timers that are due at now fire.
func (e *Engine) Tick(now vtime.Time) {
	for e.timers.first() <= now {
		q := e.timers.heap[0]
		e.timers.remove(q)
		e.expire(now, q)
		if q.state == RTS {
			e.rearm(q)
		}
	}
}

// rearm sets the timer for the transmission that is overdue first.
func (e *Engine) rearm(q *qp) {
	t := &q.tx
	if at := t.due(); at != vtime.Never {
		e.timers.add(q, at)
	}
}

// due is the instant at which a transmission is overdue, or at which the peer is asked again how things stand.
func (t *requester) due() vtime.Time {
	at := vtime.Never
	for i := range t.flights {
		if t.skim(i); !t.flights[i].empty() {
			at = min(at, t.flights[i].first().at.Add(t.timeout(i)))
		}
	}
	if at == vtime.Never && t.una < t.next && t.record(t.una).fate == done {
		at = t.heard.Add(t.timeout(t.level(t.record(t.una)))) // arrived, not in memory
	}
	return at // a packet that waits to be sent again is timed from then on
}

// skim drops transmissions from the front of a level that are answered or superseded.
func (t *requester) skim(level int) {
	f := &t.flights[level]
	for ; !f.empty(); f.pop() {
		s := f.first()
		if s.psn >= t.una && s.psn < t.next {
			if r := t.record(s.psn); r.fate == flying && r.at == s.at {
				return
			}
		}
	}
}

// expire gives up every transmission of q that is overdue at now.
func (e *Engine) expire(now vtime.Time, q *qp) {
	t := &q.tx
	oldest, retries := uint64(0), uint8(0)
	fired, flying := false, false
	for i := range t.flights {
		f := &t.flights[i]
		for t.skim(i); !f.empty() && now >= f.first().at.Add(t.timeout(i)); t.skim(i) {
			s := f.first()
			f.pop()
			r := t.record(s.psn)
			if !fired || s.psn < oldest {
				oldest, fired = s.psn, true
			}
			t.inflight -= uint64(r.bytes)
			q.paths.Lost(now, r.path, uint32(r.bytes))
			e.emit(now, event.PathLost, q.num, uint64(r.path), s.psn&psnMask, 0, 0)
			e.giveUp(q, s.psn, r)
			retries = max(retries, r.retries)
		}
		flying = flying || !f.empty()
	}
	if !fired && !flying && t.una < t.next {
		// Everything has arrived, but the peer has not said that it is in memory: the oldest goes again, to be
		// told how things stand.
		if r := t.record(t.una); r.fate == done && now >= t.heard.Add(t.timeout(t.level(r))) {
			oldest, fired, t.heard = t.una, true, now
			e.giveUp(q, t.una, r)
			retries = r.retries
		}
	}
	if !fired {
		return
	}
	e.emit(now, event.Timeout, q.num, oldest&psnMask, uint64(retries), 0, 0)
	if int(retries) > e.cfg.Retries {
		e.fail(now, q, RetryExcErr)
		return
	}
	e.enlist(q)
}

// giveUp marks a packet as lost; its retries count anew after progress.
func (e *Engine) giveUp(q *qp, psn uint64, r *record) {
	t := &q.tx
	if r.epoch != t.epoch {
		r.epoch, r.retries = t.epoch, 0
	}
	if r.retries < 255 {
		r.retries++
	}
	r.fate = lost
	t.lost.push(sending{psn: psn})
}

// timers is a heap of queue pairs by the instant before which nothing of theirs is due. Acknowledgements do not
// move them: a queue pair whose oldest transmission was answered is looked at once and put back.
type timers struct {
	heap []*qp
}

func (h *timers) first() vtime.Time {
	if len(h.heap) == 0 {
		return vtime.Never
	}
	return h.heap[0].key
}

func (h *timers) add(q *qp, at vtime.Time) {
	h.remove(q)
	q.key = at
	h.heap = append(h.heap, q)
	q.at = len(h.heap)
	h.up(q.at - 1)
}

func (h *timers) remove(q *qp) {
	if q.at == 0 {
		return
	}
	i, n := q.at-1, len(h.heap)-1
	q.at = 0
	last := h.heap[n]
	h.heap = h.heap[:n]
	if i == n {
		return
	}
	h.heap[i] = last
	last.at = i + 1
	h.up(i)
	h.down(last.at - 1)
}

// before orders by instant, ties by number, so that the order never depends on the heap.
func (h *timers) before(i, j int) bool {
	a, b := h.heap[i], h.heap[j]
	return a.key < b.key || a.key == b.key && a.num < b.num
}

func (h *timers) swap(i, j int) {
	h.heap[i], h.heap[j] = h.heap[j], h.heap[i]
	h.heap[i].at, h.heap[j].at = i+1, j+1
}

func (h *timers) up(i int) {
	for i > 0 && h.before(i, (i-1)/2) {
		h.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (h *timers) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h.heap) {
			return
		}
		if c+1 < len(h.heap) && h.before(c+1, c) {
			c++
		}
		if !h.before(c, i) {
			return
		}
		h.swap(i, c)
		i = c
	}
}
