package engine

import (
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// responder is the receiving half of a queue pair. Strict ordering is what a memory poller sees: within a message
// any order, but the packet with its last byte after the rest; of the next message nothing before this one is
// whole.
type responder struct {
	next   uint64 // PSN of the oldest packet that is not in memory
	msn    uint64 // messages that are whole in memory
	tail   uint64 // highest PSN that has arrived as the last of its message
	seen   bitmap // arrived: in memory, or held
	placed bitmap // in memory
	lasts  bitmap // in memory, and the last of their message
	ring   []held // by PSN: packets that wait; as large as the bitmaps once one waits
	held   int    // of them in use

	ack     pendingAck
	unacked uint32        // payload bytes since the latest acknowledgement
	ce      uint32        // packets with CE
	denied  wire.Syndrome // memory refused packet nakPSN; 0: none
	nakPSN  uint64
	nak     wire.Syndrome // has been said; the queue pair is in ERR
}

// held is a packet that waits in the receive buffer.
type held struct {
	payload mem.Payload
	va      mem.VA
	rkey    mem.Key
	msn     uint32
	last    bool
	used    bool
	waiting bool // for memory
}

// begin makes x expect packet psn first.
func (x *responder) begin(psn uint32) { x.next = psnBase | uint64(psn) }

// turn says that under strict ordering h may go to memory now.
func (x *responder) turn(psn uint64, h *held) bool {
	return h.msn == uint32(x.msn) && (!h.last || psn == x.next)
}

// grow makes room for psn.
func (x *responder) grow(psn uint64) {
	need := psn - x.next&^63 + 1
	if need <= x.seen.size() {
		return
	}
	n := uint64(bitmapMin)
	for n < need {
		n *= 2
	}
	x.seen.grow(n, x.next)
	x.placed.grow(n, x.next)
	x.lasts.grow(n, x.next)
	if x.ring != nil {
		x.growRing(n)
	}
}

func (x *responder) growRing(n uint64) {
	old := x.ring
	x.ring = make([]held, n)
	for p := x.next; p < x.next+uint64(len(old)); p++ {
		if h := old[p&uint64(len(old)-1)]; h.used {
			*x.at(p) = h
		}
	}
}

func (x *responder) at(psn uint64) *held { return &x.ring[psn&uint64(len(x.ring)-1)] }

// forget clears what is kept of a packet that the cumulative state has passed.
func (x *responder) forget(psn uint64) {
	x.seen.clear(psn)
	x.placed.clear(psn)
	x.lasts.clear(psn)
}

// within says that psn lies in what the ring covers when it starts at low.
func (b *bitmap) within(psn, low uint64) bool { return psn-low&^63 < b.size() }

// hold keeps a packet until its turn, or until memory is there.
func (e *Engine) hold(q *qp, psn uint64, h *held, waiting bool) {
	x := &q.rx
	if x.ring == nil {
		x.growRing(x.seen.size())
	}
	k := x.at(psn)
	*k = *h
	k.used, k.waiting = true, waiting
	if h.payload.Bytes != nil {
		k.payload.Bytes = e.buffer.keep(h.payload.Bytes)
	}
	x.held++
}

// buffer is the memory of all receive buffers of a device: pieces of one packet, used again.
type buffer struct {
	free [][]byte
}

// keep returns a copy of b.
func (f *buffer) keep(b []byte) []byte {
	var c []byte
	if n := len(f.free); n > 0 {
		c = f.free[n-1]
		f.free = f.free[:n-1]
	}
	return append(c[:0], b...)
}

// drop frees the place of one packet of x.
func (f *buffer) drop(x *responder, h *held) {
	if h.payload.Bytes != nil {
		f.free = append(f.free, h.payload.Bytes)
	}
	*h = held{}
	x.held--
}

// release frees everything that x holds.
func (f *buffer) release(x *responder) {
	for i := range x.ring {
		if x.ring[i].used {
			f.drop(x, &x.ring[i])
		}
	}
}

// waiter is a queue pair that waits for an answer of memory.
type waiter struct {
	q      *qp
	serial uint32 // of the incarnation that asked
	psn    uint64 // receiver: the packet; sender: the message number
	sender bool
}

func (e *Engine) wait(ticket uint64, w waiter) { e.waiters[ticket] = append(e.waiters[ticket], w) }

// MemReady is the answer to a Pending grant: whoever waits for the ticket tries again. !ok fails the access: at
// the requester with LOC_PROT_ERR, at the responder with a remote operational error. An unknown ticket is ignored.
func (e *Engine) MemReady(now vtime.Time, ticket uint64, ok bool) {
	ws := e.waiters[ticket]
	delete(e.waiters, ticket)
	for _, w := range ws {
		q := w.q
		switch {
		case q.serial != w.serial:
		case w.sender:
			q.tx.suspended = false
			if !ok {
				e.breakWork(now, q, w.psn, LocProtErr)
			} else {
				e.enlist(q)
			}
		case !ok:
			e.buffer.drop(&q.rx, q.rx.at(w.psn))
			e.deny(now, q, w.psn, RemOpErr)
		default:
			q.rx.at(w.psn).waiting = false
			q.rx.ack.excuse(now)
			if e.retry(now, q, w.psn) {
				e.advance(now, q)
			}
		}
	}
}
