package engine

import (
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

func memVA(off uint32) mem.VA { return mem.VA(off) }

// receiveWrite takes a data packet: places it where it says if it may be placed now, keeps it if it came too
// early or memory is not there, and has it acknowledged when it is time.
func (e *Engine) receiveWrite(now vtime.Time, q *qp, p *wire.Packet) {
	x := &q.rx
	psn := unwrap(x.next, p.PSN)
	switch {
	case psn < x.next || x.seen.within(psn, x.next) && x.seen.has(psn):
		e.reject(now, p, event.RejectDuplicate)
		e.answer(now, q, p, psn)
		return
	case psn >= x.next+e.window:
		e.reject(now, p, event.RejectWindow)
		e.answer(now, q, p, psn)
		return
	case int32(p.MSN-uint32(x.msn)) < 0:
		e.reject(now, p, event.RejectMalformed)
		return
	case x.denied != 0 && psn >= x.nakPSN:
		e.reject(now, p, event.RejectMemory)
		return
	}
	h := &e.early
	*h = held{va: p.VA, rkey: p.RKey, payload: p.Payload, msn: p.MSN, last: p.Flags&wire.Last != 0}
	e.acc = h.access(q)
	if s := e.mem.Check(&e.acc); s != Success {
		x.ack.note(now, p, psn)
		e.reject(now, p, event.RejectMemory)
		e.deny(now, q, psn, s)
		return
	}
	x.grow(psn)
	x.seen.set(psn)
	if p.Flags&wire.CE != 0 {
		x.ce++
	}
	x.unacked += p.Payload.Len
	// Behind the end of a message nothing may follow that would bring this packet's acknowledgement along: if one
	// of the message is missing, the others would time out with it.
	late := psn < x.tail
	if h.last {
		x.tail = max(x.tail, psn)
	}
	if late || x.unacked >= e.cfg.AckEvery || p.Flags&(wire.Last|wire.AckRequest) != 0 {
		e.answer(now, q, p, psn)
	} else {
		x.ack.note(now, p, psn)
	}
	if !e.cfg.Relaxed && !x.turn(psn, h) {
		e.hold(q, psn, h, false)
		return
	}
	switch g := e.place(now, q, psn, h); g.State {
	case Ready:
		e.advance(now, q)
	case Pending:
		e.hold(q, psn, h, true)
		e.wait(g.Ticket, waiter{q: q, serial: q.serial, psn: psn})
	default:
		x.seen.clear(psn)
		e.deny(now, q, psn, g.Status)
	}
}

// place writes one packet's bytes to memory.
func (e *Engine) place(now vtime.Time, q *qp, psn uint64, h *held) Grant {
	if h.payload.Len > 0 {
		e.acc = h.access(q)
		if g := e.mem.Write(now, &e.acc, &h.payload); g.State != Ready {
			return g
		}
	}
	q.rx.placed.set(psn)
	if h.last {
		q.rx.lasts.set(psn)
	}
	return Grant{State: Ready}
}

// access is what placing h asks of memory.
func (h *held) access(q *qp) Access {
	return Access{QP: q.num, PD: q.pd, Key: h.rkey, VA: h.va, Len: h.payload.Len, Rights: mem.RemoteWrite}
}

// advance moves the cumulative state over what is in memory, and places what was waiting for that.
func (e *Engine) advance(now vtime.Time, q *qp) {
	x := &q.rx
	for {
		whole := false
		from := x.next
		for x.placed.has(x.next) {
			if x.lasts.has(x.next) {
				x.msn++
				whole = true
			}
			x.forget(x.next)
			x.next++
		}
		if whole {
			x.ack.due = true // the requester waits for this one to complete its message
			e.lines[ackLine].join(q, ackLine)
		}
		if x.denied != 0 && x.next == x.nakPSN {
			e.refuse(now, q)
			return
		}
		if x.held == 0 || x.next == from || !e.release(now, q, whole) {
			return
		}
	}
}

// release places packets that wait for their turn, now that x.next has moved; it says whether x.next may move
// further. Unless a message became whole only the packet x.next can have become due: the last of its message.
// The packets of a new message are looked for up to the first of a later one.
func (e *Engine) release(now vtime.Time, q *qp, whole bool) bool {
	x := &q.rx
	if !whole {
		h := x.at(x.next)
		return h.used && !h.waiting && e.retry(now, q, x.next)
	}
	moved := false
	left := x.held
	for psn := x.next; left > 0 && psn < x.next+uint64(len(x.ring)); psn++ {
		h := x.at(psn)
		if !h.used {
			continue
		}
		left--
		if h.waiting {
			continue
		}
		if h.msn != uint32(x.msn) {
			break
		}
		if !x.turn(psn, h) {
			continue
		}
		if e.retry(now, q, psn) {
			moved = moved || psn == x.next
		} else if q.state == Err {
			return false
		}
	}
	return moved
}

// retry places a packet that is held, and says whether it is in memory now.
func (e *Engine) retry(now vtime.Time, q *qp, psn uint64) bool {
	x := &q.rx
	h := x.at(psn)
	switch g := e.place(now, q, psn, h); g.State {
	case Ready:
		e.buffer.drop(x, h)
		return true
	case Pending:
		h.waiting = true
		e.wait(g.Ticket, waiter{q: q, serial: q.serial, psn: psn})
	default:
		e.buffer.drop(x, h)
		e.deny(now, q, psn, g.Status)
	}
	return false
}
