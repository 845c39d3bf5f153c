package engine

import (
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// fresh sends the next new packet of q, if the window, the peer's buffer and local memory allow.
func (e *Engine) fresh(now vtime.Time, q *qp, p *wire.Packet) bool {
	t := &q.tx
	if q.state != RTS || t.suspended || t.next == t.planned || t.next >= t.edge || t.next-t.una >= e.window {
		return false
	}
	for w := t.work(t.tail); t.next >= w.first+w.packets; w = t.work(t.tail) {
		t.tail++
	}
	if t.broken != 0 && t.tail+1 >= t.broken {
		return false
	}
	w := t.work(t.tail)
	off, n := e.piece(w, t.next)
	t.window = q.paths.Window()
	if !t.room(n) {
		return false
	}
	if !e.load(now, q, t.tail, off, n, p) {
		return false
	}
	r := t.push()
	*r = record{msn: uint32(t.tail)}
	e.dispatch(now, q, t.next-1, r, w, off, n, q.paths.Pick(now, -1), p)
	return true
}

// repair sends the oldest lost packet of q again, on another path.
func (e *Engine) repair(now vtime.Time, q *qp, p *wire.Packet) bool {
	t := &q.tx
	if q.state != RTS || t.suspended {
		return false
	}
	for ; !t.lost.empty(); t.lost.pop() {
		psn := t.lost.first().psn
		if psn < t.una || psn >= t.next {
			continue
		}
		r := t.record(psn)
		if r.fate != lost {
			continue
		}
		msn := t.head + uint64(r.msn-uint32(t.head))
		w := t.work(msn)
		off, n := e.piece(w, psn)
		if t.window = q.paths.Window(); !t.room(n) {
			return false
		}
		if !e.load(now, q, msn, off, n, p) {
			return false
		}
		t.lost.pop()
		p.Flags = wire.Retransmit | wire.AckRequest
		e.dispatch(now, q, psn, r, w, off, n, q.paths.Pick(now, int(r.path)), p)
		return true
	}
	return false
}

// piece is the part of a message that packet psn carries.
func (e *Engine) piece(w *work, psn uint64) (off, n uint32) {
	off = uint32(psn-w.first) * e.cfg.MTU
	return off, min(e.cfg.MTU, w.Len-off)
}

// load reads the payload from local memory, as a NIC does for every transmission. It fails when memory is not
// there yet, and then q waits, or never will be, and then the work request is broken.
func (e *Engine) load(now vtime.Time, q *qp, msn uint64, off, n uint32, p *wire.Packet) bool {
	*p = wire.Packet{}
	w := q.tx.work(msn)
	e.acc = Access{QP: q.num, PD: q.pd, Key: w.LKey, VA: w.Local + memVA(off), Len: n}
	if n == 0 {
		if s := e.mem.Check(&e.acc); s != Success {
			e.breakWork(now, q, msn, s)
			return false
		}
		return true
	}
	g := e.mem.Read(now, &e.acc, &p.Payload)
	switch g.State {
	case Ready:
		return true
	case Pending:
		q.tx.suspended = true
		e.wait(g.Ticket, waiter{q: q, serial: q.serial, psn: msn, sender: true})
	default:
		e.breakWork(now, q, msn, g.Status)
	}
	return false
}

// breakWork stops q at a work request that local memory refuses; it fails when those before it are complete.
func (e *Engine) breakWork(now vtime.Time, q *qp, msn uint64, s Status) {
	t := &q.tx
	if t.broken == 0 || msn+1 < t.broken {
		t.broken, t.cause = msn+1, s
	}
	e.settle(now, q)
}

// dispatch fills the headers in and counts the packet as flying.
func (e *Engine) dispatch(now vtime.Time, q *qp, psn uint64, r *record, w *work, off, n uint32, path uint16, p *wire.Packet) {
	t := &q.tx
	r.at, r.path, r.pathSeq, r.bytes, r.fate = now, path, t.sequence(path), uint16(n), flying
	t.inflight += uint64(n)
	level := t.level(r)
	t.flights[level].push(sending{psn, now})
	if due := now.Add(t.timeout(level)); q.at == 0 || due < q.key {
		e.timers.add(q, due)
	}
	resent := uint64(0)
	if p.Flags&wire.Retransmit != 0 {
		resent = event.SentRetransmit
	}
	if off == 0 {
		p.Flags |= wire.First
	}
	if psn == w.first+w.packets-1 {
		p.Flags |= wire.Last
	}
	if t.ask(n, e.cfg.AckEvery) {
		p.Flags |= wire.AckRequest
	}
	p.Src, p.Dst, p.Entropy, p.ECN = e.cfg.Addr, q.peerAddr, q.paths.Entropy(path), 2
	p.Opcode, p.DestQP, p.PSN, p.Generation = wire.WriteOnly, q.peerQP, uint32(psn)&psnMask, q.peerGeneration
	p.Path, p.PathSeq, p.Sent = path, r.pathSeq, now
	p.VA, p.RKey, p.MSN, p.Offset, p.MessageLen = w.Remote+memVA(off), w.RKey, r.msn, off, w.Len
	e.emit(now, event.Sent, q.num, uint64(p.PSN), uint64(path)<<32|resent|uint64(p.Flags), uint64(n), uint64(p.Opcode))
}

// ask says that this packet should be acknowledged at once: a window that is not much larger than what the peer
// acknowledges together would else close until the timeout.
func (t *requester) ask(n, every uint32) bool {
	t.asked += uint64(n)
	if quarter := t.window / 4; quarter < uint64(every) && t.asked >= quarter {
		t.asked = 0
		return true
	}
	return false
}
