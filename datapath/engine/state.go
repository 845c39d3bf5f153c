package engine

import (
	"fmt"

	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// destroyed is the state of a number that no queue pair has; never seen outside.
const destroyed State = 255

// Attr is what Modify sets. All but State matter for the transition to RTR alone.
type Attr struct {
	State          State
	PeerAddr       uint32 // IPv4, host byte order
	PeerQP         uint32 // 24 bits
	PeerGeneration uint8  // as CreateQP returned it there
	PeerPSN        uint32 // the StartPSN of the peer, 24 bits
	PeerNode       int32  // for events
}

// Modify changes the state: RESET to INIT to RTR to RTS, any to ERR, any to RESET (IBTA 10.3.1). On the way
// to ERR and to RESET every outstanding work request is completed with WR_FLUSH_ERR; RESET in verbs drops
// them silently, here none is ever lost. A reset queue pair has another generation: see Info. It fails with
// ErrUnknownQP, a *StateError, or ErrAttr, and has then changed nothing.
func (e *Engine) Modify(now vtime.Time, qpn uint32, a Attr) error {
	q := e.find(qpn)
	if q == nil {
		return fmt.Errorf("%w: %d", ErrUnknownQP, qpn)
	}
	switch {
	case a.State == Reset:
		e.drain(q, WRFlushErr)
		e.renew(q)
	case a.State == Err:
		if q.state != Err {
			e.fail(now, q, WRFlushErr)
		}
		return nil
	case a.State == Init && q.state == Reset, a.State == RTS && q.state == RTR:
	case a.State == RTR && q.state == Init:
		if err := a.validate(); err != nil {
			return err
		}
		q.peerAddr, q.peerQP, q.peerGeneration, q.peerNode = a.PeerAddr, a.PeerQP, a.PeerGeneration, a.PeerNode
		q.rx.begin(a.PeerPSN)
	default:
		return &StateError{QP: qpn, Op: "modify", From: q.state, To: a.State}
	}
	e.turn(now, q, a.State)
	return nil
}

func (a *Attr) validate() error {
	if a.PeerQP < firstQPN || a.PeerQP > maxQPN {
		return fmt.Errorf("%w: PeerQP %#x, want %d to %#x", ErrAttr, a.PeerQP, firstQPN, maxQPN)
	}
	if a.PeerPSN > psnMask {
		return fmt.Errorf("%w: PeerPSN %#x, want 24 bits", ErrAttr, a.PeerPSN)
	}
	return nil
}

// turn sets the state and says so.
func (e *Engine) turn(now vtime.Time, q *qp, s State) {
	old := q.state
	q.state = s
	if s != destroyed && s != old {
		e.emit(now, event.QPState, q.num, uint64(s), uint64(old), uint64(q.peerNode), uint64(q.peerQP))
	}
}

// fail takes a queue pair to ERR: the oldest outstanding work request completes with status, the others
// with WR_FLUSH_ERR (IBTA 10.7.3.1).
func (e *Engine) fail(now vtime.Time, q *qp, status Status) {
	e.drain(q, status)
	e.serial++
	q.serial = e.serial
	e.turn(now, q, Err)
}

// drain completes everything outstanding and lets go of what the queue pair held.
func (e *Engine) drain(q *qp, status Status) {
	for t := &q.tx; t.head < t.posted; t.head++ {
		w := t.work(t.head)
		e.cq.push(WC{ID: w.ID, QP: q.num, Status: status, MSN: uint32(t.head), Len: w.Len})
		status = WRFlushErr
	}
	q.tx.abandon()
	e.buffer.release(&q.rx)
	q.rx.ack.due = false
	e.timers.remove(q)
}
