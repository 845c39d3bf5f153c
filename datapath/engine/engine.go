package engine

import (
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Engine is the transport of one device.
type Engine struct {
	cfg    Config
	mem    Memory
	sink   event.Sink
	node   int32
	window uint64 // packets that a responder buffers, and that a requester has out at most
	serial uint32 // latest incarnation

	qps     []*qp // by number
	retired []uint32
	lines   [lines]line
	timers  timers
	waiters map[uint64][]waiter // by ticket
	buffer  buffer
	cq      completions
	ev      event.Event // reused by emit
	acc     Access      // reused for every call of Memory
	early   held        // reused by receiveWrite
}

// New returns a device's transport without queue pairs. node is put into its events; a nil sink drops them.
func New(cfg Config, m Memory, sink event.Sink, node int32) (*Engine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if sink == nil {
		sink = event.Discard{}
	}
	e := &Engine{cfg: cfg.withDefaults(), mem: m, sink: sink, node: node, waiters: map[uint64][]waiter{}}
	e.window = max(1, e.cfg.ReceiveBuffer/uint64(e.cfg.MTU))
	for n := range uint32(firstQPN) {
		e.qps = append(e.qps, &qp{num: n, state: destroyed})
	}
	return e, nil
}

// Receive takes one packet that passed the ICRC; p and its bytes belong to the caller again on return. One that
// is not for a queue pair in the right state, of the right generation and from the right peer changes nothing.
func (e *Engine) Receive(now vtime.Time, p *wire.Packet) {
	q := e.find(p.DestQP)
	switch {
	case q == nil:
		e.reject(now, p, event.RejectUnknownQP)
	case q.state != RTR && q.state != RTS && !(q.state == Err && q.rx.nak != 0):
		e.reject(now, p, event.RejectState)
	case p.Generation != q.generation || p.Src != q.peerAddr:
		e.reject(now, p, event.RejectStranger)
	case q.state == Err:
		e.remind(now, q, p)
	case p.Opcode == wire.WriteOnly:
		e.receiveWrite(now, q, p)
	case p.Opcode != wire.Acknowledge:
		e.reject(now, p, event.RejectMalformed)
	case q.state != RTS:
		e.reject(now, p, event.RejectState)
	case p.Syndrome >= wire.SyndromeSequenceError:
		e.receiveNak(now, q, p)
	default:
		e.receiveAck(now, q, p)
	}
}

// Next fills p with the next packet to send: acknowledgements first, then what was lost, then new data, queue
// pairs in turn. It returns false when nothing may be sent now. p.Payload.Bytes is valid until the next call.
func (e *Engine) Next(now vtime.Time, p *wire.Packet) bool {
	for q := e.lines[ackLine].take(ackLine); q != nil; q = e.lines[ackLine].take(ackLine) {
		if q.rx.ack.due {
			e.acknowledge(now, q, p)
			return true
		}
	}
	for _, id := range [...]int{repairLine, freshLine} {
		for q := e.lines[id].take(id); q != nil; q = e.lines[id].take(id) {
			sent := false
			if id == repairLine {
				sent = e.repair(now, q, p)
			} else {
				sent = e.fresh(now, q, p)
			}
			if sent {
				e.lines[id].join(q, id)
				return true
			}
		}
	}
	return false
}

// Ready says that Next may have a packet.
func (e *Engine) Ready() bool {
	return e.lines[ackLine].first != nil || e.lines[repairLine].first != nil || e.lines[freshLine].first != nil
}

// Deadline is when Tick has something to do, at the earliest; vtime.Never if only an input can.
func (e *Engine) Deadline() vtime.Time { return e.timers.first() }

// enlist puts q in line for what it may have to send.
func (e *Engine) enlist(q *qp) {
	if q.tx.suspended {
		return
	}
	if !q.tx.lost.empty() {
		e.lines[repairLine].join(q, repairLine)
	}
	if q.tx.next < q.tx.planned {
		e.lines[freshLine].join(q, freshLine)
	}
}

func (e *Engine) emit(now vtime.Time, k event.Kind, qpn uint32, a, b, c, d uint64) {
	e.ev = event.Event{At: now, Kind: k, Node: e.node, QP: qpn, A: a, B: b, C: c, D: d}
	e.sink.Emit(&e.ev)
}

func (e *Engine) reject(now vtime.Time, p *wire.Packet, why event.RejectCause) {
	e.emit(now, event.Rejected, p.DestQP, uint64(why), uint64(p.PSN), uint64(p.Opcode), 0)
}
