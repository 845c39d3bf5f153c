package engine

import (
	"fmt"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// maxMessage is the longest message, bytes (IBTA 9.2.5).
const maxMessage = 1 << 31

// work is a work request that is not completed.
type work struct {
	WR
	first   uint64 // PSN of its first packet
	packets uint64 // one for an empty message
}

// Post takes a work request: in RTS to be sent, in ERR to be completed with WR_FLUSH_ERR. It fails with
// ErrUnknownQP, ErrTooLong, ErrFull, or a *StateError in RESET, INIT and RTR; then nothing was posted. The
// local key is checked when the message is sent, and complained of in its completion.
func (e *Engine) Post(now vtime.Time, qpn uint32, wr WR) error {
	q := e.find(qpn)
	if q == nil {
		return fmt.Errorf("%w: %d", ErrUnknownQP, qpn)
	}
	if q.state != RTS && q.state != Err {
		return &StateError{QP: qpn, Op: "post", From: q.state}
	}
	if wr.Len > maxMessage {
		return fmt.Errorf("%w: %d bytes", ErrTooLong, wr.Len)
	}
	t := &q.tx
	if q.state == Err {
		e.cq.push(WC{ID: wr.ID, QP: qpn, Status: WRFlushErr, MSN: uint32(t.posted), Len: wr.Len})
		t.posted++
		t.head++
		return nil
	}
	if t.posted-t.head >= uint64(e.cfg.SendQueue) {
		return fmt.Errorf("%w: queue pair %d has %d work requests outstanding", ErrFull, qpn, t.posted-t.head)
	}
	t.add(wr, e.packets(wr.Len))
	e.enlist(q)
	return nil
}

// packets is the number of packets of a message of n bytes.
func (e *Engine) packets(n uint32) uint64 {
	return max(1, (uint64(n)+uint64(e.cfg.MTU)-1)/uint64(e.cfg.MTU))
}
