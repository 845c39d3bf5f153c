package engine

import (
	"math/bits"
	"time"

	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// receiveAck takes an acknowledgement. Cumulatively acknowledged is what is in the peer's memory: that completes
// work requests. Selectively acknowledged is what has arrived there: that need not be sent again.
func (e *Engine) receiveAck(now vtime.Time, q *qp, p *wire.Packet) {
	t := &q.tx
	upto := unwrap(t.una, p.PSN+1) // the first that is not acknowledged cumulatively
	if upto > t.next {
		e.reject(now, p, event.RejectMalformed)
		return
	}
	a := answer{e: e, q: q, now: now, p: p, rtt: max(0, now.Sub(p.EchoSent))}
	if d := p.CECount - t.ceSeen; d > 0 && d < 1<<31 {
		a.ce, t.ceSeen = d, p.CECount
	}
	if a.rtt > 0 {
		t.rtt.sample(a.rtt)
	}
	for psn := t.una; psn < upto; psn++ {
		a.take(psn)
	}
	for i, w := range p.Bitmap {
		base := unwrap(t.una, p.BitmapBase) + uint64(64*i)
		for ; w != 0; w &= w - 1 {
			if psn := base + uint64(bits.TrailingZeros64(w)); psn >= upto && psn < t.next && psn >= t.una {
				a.take(psn)
			}
		}
	}
	t.heard = now
	if upto > t.una {
		t.una = upto
		t.epoch++
	}
	if edge := unwrap(t.una, p.WindowEdge); edge > t.edge {
		t.edge = edge
	}
	e.settle(now, q)
	if q.state != RTS {
		return
	}
	if t.una == t.next {
		for i := range t.flights {
			t.flights[i].reset()
		}
		e.timers.remove(q)
	} else if q.at == 0 || t.record(t.una).fate == done { // waits for the peer's memory: asked about from now on
		e.rearm(q)
	}
	e.enlist(q)
}

// answer is what one acknowledgement tells of packets.
type answer struct {
	e   *Engine
	q   *qp
	now vtime.Time
	p   *wire.Packet
	rtt time.Duration
	ce  uint32 // newly reported marks, not passed on yet
}

// take notes that a packet has arrived.
func (a *answer) take(psn uint64) {
	t := &a.q.tx
	r := t.record(psn)
	if r.fate == done {
		return
	}
	if r.fate == flying {
		t.inflight -= uint64(r.bytes)
	}
	r.fate, r.retries = done, 0
	var rtt time.Duration
	if r.path == a.p.EchoPath && r.pathSeq == a.p.EchoPathSeq {
		rtt = a.rtt
	}
	a.q.paths.Acked(a.now, r.path, uint32(r.bytes), rtt, a.ce)
	a.ce = 0
}

// settle completes the work requests that are whole, and fails the one that is broken when it is its turn.
func (e *Engine) settle(now vtime.Time, q *qp) {
	t := &q.tx
	for t.head < t.posted {
		w := t.work(t.head)
		if t.una < w.first+w.packets {
			break
		}
		e.cq.push(WC{ID: w.ID, QP: q.num, Status: Success, MSN: uint32(t.head), Len: w.Len})
		t.head++
		t.tail = max(t.tail, t.head)
	}
	if t.broken != 0 && t.head+1 == t.broken {
		e.fail(now, q, t.cause)
	}
}

// receiveNak takes a refusal: the message that the refused packet belongs to fails, and the queue pair with it
// (IBTA 9.9.2.4.3).
func (e *Engine) receiveNak(now vtime.Time, q *qp, p *wire.Packet) {
	t := &q.tx
	psn := unwrap(t.una, p.PSN)
	if psn < t.una || psn >= t.next {
		e.reject(now, p, event.RejectMalformed)
		return
	}
	status := RemOpErr
	switch p.Syndrome {
	case wire.SyndromeInvalidRequest:
		status = RemInvReqErr
	case wire.SyndromeRemoteAccess:
		status = RemAccessErr
	}
	e.emit(now, event.Nak, q.num, uint64(p.Syndrome), uint64(p.PSN), 0, 0)
	// A refusal acknowledges what came before it (IBTA 9.7.5.1.1): those work requests are complete.
	told := answer{e: e, q: q, now: now, p: p}
	for before := t.una; before < psn; before++ {
		told.take(before)
	}
	t.una = psn
	if e.settle(now, q); q.state == RTS {
		e.fail(now, q, status)
	}
}
