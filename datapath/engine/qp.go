package engine

import (
	"fmt"

	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Queue pair numbers have 24 bits (IBTA 9.2.3); 0 and 1 are the management queue pairs.
const (
	firstQPN = 2
	maxQPN   = 1<<24 - 1
)

// QPConfig is what a queue pair is created with.
type QPConfig struct {
	PD       mem.PD
	Paths    Paths  // its own, not shared with another queue pair
	StartPSN uint32 // of the first packet that it sends, below 1<<24
}

// qp is one queue pair: a requester and a responder.
type qp struct {
	num        uint32
	generation uint8
	state      State
	serial     uint32 // incarnation: tells what was begun before a reset or an error
	pd         mem.PD
	paths      Paths
	startPSN   uint32

	peerAddr       uint32
	peerQP         uint32
	peerGeneration uint8
	peerNode       int32

	tx requester
	rx responder

	links [lines]link // positions in the engine's lines
	key   vtime.Time  // in the engine's timers: no deadline of this queue pair is earlier
	at    int         // index + 1 in the engine's timers; 0: not there
}

// Info is a queue pair as it stands, for control and diagnosis.
type Info struct {
	State       State
	Generation  uint8
	Outstanding int    // work requests posted and not completed
	InFlight    uint64 // payload bytes sent, neither acknowledged nor given up as lost
	Acked       uint32 // PSN of the oldest packet that is not acknowledged
	Expected    uint32 // PSN of the oldest packet that the responder misses
	Held        int    // packets in the receive buffer
	PeerAddr    uint32 // IPv4, host byte order
	PeerQP      uint32
	RTO         vtime.Time // retransmission timeout now, as a duration in nanoseconds
}

// CreateQP makes a queue pair in RESET. A number is used again after Destroy, with another generation. It
// fails with ErrAttr, if StartPSN has more than 24 bits or Paths is nil, and with ErrNoQP.
func (e *Engine) CreateQP(c QPConfig) (qpn uint32, generation uint8, err error) {
	if c.StartPSN > psnMask {
		return 0, 0, fmt.Errorf("%w: StartPSN %#x, want 24 bits", ErrAttr, c.StartPSN)
	}
	if c.Paths == nil {
		return 0, 0, fmt.Errorf("%w: Paths nil", ErrAttr)
	}
	var q *qp
	switch {
	case len(e.retired) > 0:
		q = e.qps[e.retired[0]]
		e.retired = e.retired[1:]
	case len(e.qps) > maxQPN:
		return 0, 0, ErrNoQP
	default:
		q = &qp{num: uint32(len(e.qps)), state: destroyed}
		e.qps = append(e.qps, q)
	}
	q.pd, q.paths, q.startPSN = c.PD, c.Paths, c.StartPSN
	e.renew(q)
	q.state = Reset
	return q.num, q.generation, nil
}

// Destroy frees the number. Work requests outstanding are completed with WR_FLUSH_ERR first; their
// completions can still be polled. It fails with ErrUnknownQP.
func (e *Engine) Destroy(now vtime.Time, qpn uint32) error {
	q := e.find(qpn)
	if q == nil {
		return fmt.Errorf("%w: %d", ErrUnknownQP, qpn)
	}
	e.drain(q, WRFlushErr)
	q.serial = 0
	q.paths = nil
	e.turn(now, q, destroyed)
	e.retired = append(e.retired, q.num)
	return nil
}

// Info describes a queue pair; false if there is none of that number.
func (e *Engine) Info(qpn uint32) (Info, bool) {
	q := e.find(qpn)
	if q == nil {
		return Info{}, false
	}
	return Info{
		State: q.state, Generation: q.generation,
		Outstanding: int(q.tx.posted - q.tx.head), InFlight: q.tx.inflight,
		Acked: uint32(q.tx.una) & psnMask, Expected: uint32(q.rx.next) & psnMask, Held: q.rx.held,
		PeerAddr: q.peerAddr, PeerQP: q.peerQP, RTO: vtime.Time(q.tx.rtt.rto),
	}, true
}

// find returns the queue pair of a number, or nil.
func (e *Engine) find(qpn uint32) *qp {
	if qpn < firstQPN || uint64(qpn) >= uint64(len(e.qps)) || e.qps[qpn].state == destroyed {
		return nil
	}
	return e.qps[qpn]
}

// renew begins another incarnation: nothing that was sent or asked for before belongs to it.
func (e *Engine) renew(q *qp) {
	e.serial++
	q.serial = e.serial
	q.generation++
	q.peerAddr, q.peerQP, q.peerGeneration, q.peerNode = 0, 0, 0, -1
	q.tx = requester{pathSeq: q.tx.pathSeq}
	q.tx.begin(q.startPSN, e.window, e.cfg.RTO)
	q.rx = responder{}
}
