package engine

import (
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// pendingAck is the one acknowledgement that a queue pair owes: what is said is how things stand when it leaves,
// the echo is of the packet that caused it.
type pendingAck struct {
	due     bool
	psn     uint64
	path    uint16
	pathSeq uint32
	sent    vtime.Time
	arrived vtime.Time
}

// note remembers the packet that an acknowledgement would echo.
func (a *pendingAck) note(now vtime.Time, p *wire.Packet, psn uint64) {
	a.psn, a.path, a.pathSeq, a.sent, a.arrived = psn, p.Path, p.PathSeq, p.Sent, now
}

// excuse takes the time since the packet arrived out of the echo: memory took it and not the network, and the
// requester must not slow down for it.
func (a *pendingAck) excuse(now vtime.Time) {
	if !a.due {
		a.sent, a.arrived = a.sent.Add(now.Sub(a.arrived)), now
	}
}

// answer has q acknowledge, caused by p.
func (e *Engine) answer(now vtime.Time, q *qp, p *wire.Packet, psn uint64) {
	q.rx.ack.note(now, p, psn)
	q.rx.ack.due = true
	e.lines[ackLine].join(q, ackLine)
}

// acknowledge fills p with the acknowledgement that q owes.
func (e *Engine) acknowledge(now vtime.Time, q *qp, p *wire.Packet) {
	x := &q.rx
	a := &x.ack
	a.due = false
	path := q.paths.Answer(now)
	*p = wire.Packet{
		Src: e.cfg.Addr, Dst: q.peerAddr, Entropy: q.paths.Entropy(path), ECN: 2,
		Opcode: wire.Acknowledge, DestQP: q.peerQP, Generation: q.peerGeneration,
		Path: path, PathSeq: q.tx.sequence(path), Sent: now,
		Syndrome: wire.SyndromeAck, PSN: uint32(x.next-1) & psnMask, AckMSN: uint32(x.msn) & psnMask,
		EchoPath: a.path, EchoPathSeq: a.pathSeq, EchoSent: a.sent,
		CECount: x.ce, AckedBytes: x.unacked, WindowEdge: uint32(x.next+e.window) & psnMask,
	}
	x.unacked = 0
	if x.nak != 0 {
		p.Syndrome, p.PSN = x.nak, uint32(x.nakPSN)&psnMask
	}
	base := x.next &^ 63
	if a.psn > base+wire.AckWords*64-64 {
		base = a.psn&^63 - (wire.AckWords-2)*64 // the packet that caused this lies in the third word
	}
	p.BitmapBase = uint32(base) & psnMask
	for i := range p.Bitmap {
		if psn := base + uint64(64*i); x.seen.within(psn, x.next) && psn+64 > x.next {
			p.Bitmap[i] = *x.seen.word(psn)
		}
	}
}

// deny has packet psn refused once all before it are in memory: what was posted before the refused message
// completes, as if packets had come in order (IBTA 9.9.3). Of several refused packets the first counts.
func (e *Engine) deny(now vtime.Time, q *qp, psn uint64, s Status) {
	x := &q.rx
	if x.denied == 0 || psn < x.nakPSN {
		x.denied, x.nakPSN = wire.SyndromeRemoteOperational, psn
		switch s {
		case RemAccessErr:
			x.denied = wire.SyndromeRemoteAccess
		case RemInvReqErr:
			x.denied = wire.SyndromeInvalidRequest
		}
	}
	if x.next == x.nakPSN {
		e.refuse(now, q)
	}
}

// refuse sends the NAK and takes the queue pair to ERR.
func (e *Engine) refuse(now vtime.Time, q *qp) {
	e.fail(now, q, WRFlushErr)
	q.rx.nak = q.rx.denied
	q.rx.ack.due = true
	e.lines[ackLine].join(q, ackLine)
}

// remind repeats the NAK to a requester that has not heard it.
func (e *Engine) remind(now vtime.Time, q *qp, p *wire.Packet) {
	e.reject(now, p, event.RejectState)
	if p.Opcode == wire.WriteOnly {
		e.answer(now, q, p, q.rx.nakPSN)
	}
}
