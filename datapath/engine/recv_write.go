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
		e.answer(q, p, psn)
		return
	case psn >= x.next+e.window:
		e.reject(now, p, event.RejectWindow)
		e.answer(q, p, psn)
		return
	case int32(p.MSN-uint32(x.msn)) < 0:
		e.reject(now, p, event.RejectMalformed)
		return
	}
	h := held{
		va: p.VA, rkey: p.RKey, payload: p.Payload, msn: p.MSN, last: p.Flags&wire.Last != 0,
	}
	a := h.access(q)
	if s := e.mem.Check(&a); s != Success {
		e.refuse(now, q, p, psn, s)
		return
	}
	x.grow(psn)
	x.seen.set(psn)
	if p.Flags&wire.CE != 0 {
		x.ce++
	}
	x.unacked += p.Payload.Len
	if x.unacked >= e.cfg.AckEvery || p.Flags&(wire.Last|wire.AckRequest) != 0 {
		e.answer(q, p, psn)
	} else {
		x.ack.note(p, psn)
	}
	if e.cfg.Relaxed || x.turn(psn, &h) {
		if g := e.place(now, q, psn, &h); g.State == Denied {
			e.refuse(now, q, p, psn, g.Status)
			return
		} else if g.State == Pending {
			e.hold(q, psn, h, true)
			e.wait(g.Ticket, waiter{q: q, serial: q.serial, psn: psn})
		}
	} else {
		e.hold(q, psn, h, false)
	}
	e.advance(now, q)
}

// place writes one packet's bytes to memory.
func (e *Engine) place(now vtime.Time, q *qp, psn uint64, h *held) Grant {
	if h.payload.Len > 0 {
		a := h.access(q)
		if g := e.mem.Write(now, &a, &h.payload); g.State != Ready {
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
		for x.placed.within(x.next, x.next) && x.placed.has(x.next) {
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
		if x.held == 0 || !e.release(now, q) {
			return
		}
	}
}

// release places the packets that wait and may go now; it returns whether there was one. They are looked for up
// to the first of a later message, or the end of the receive buffer.
func (e *Engine) release(now vtime.Time, q *qp) bool {
	x := &q.rx
	any := false
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
		if !e.cfg.Relaxed {
			if h.msn != uint32(x.msn) {
				break
			}
			if !x.turn(psn, h) {
				continue
			}
		}
		g := e.place(now, q, psn, h)
		switch g.State {
		case Ready:
			e.buffer.drop(x, h)
			any = true
			if psn == x.next {
				return true // the state moves on: look again from there
			}
		case Pending:
			h.waiting = true
			e.wait(g.Ticket, waiter{q: q, serial: q.serial, psn: psn})
		default:
			e.refuse(now, q, nil, psn, g.Status)
			return false
		}
	}
	return any
}
