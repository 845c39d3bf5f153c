package sim

import (
	"math/bits"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/event"
)

// defaultRate is what fabric.Profile means by rate 0, bit/s.
const defaultRate = 100_000_000_000

// psBits is the picoseconds of one byte times the rate in bit/s.
const psBits = 8 * 1_000_000_000_000

// direction is one way of a link: the egress port at its near end, the wire, and what faults lay over its far
// end.
type direction struct { // what every packet touches comes first
	ring   ring
	next   uint64 // order of the event for the first packet of ring; 0: none is good
	free   int64  // ps: the port has sent all it has
	delay  int64  // ps
	psByte uint64 // ps per byte; 0: not a whole number
	to     int32  // node
	toHost bool
	down   bool
	stack  fabric.Stack
	ledger Ledger

	limit int64 // ps of queue
	mark  marker
	rate  uint64 // bit/s
	rem   uint64 // of the last division by rate: the port's fraction of a picosecond
}

func (d *direction) init(g *fabric.Graph, id fabric.Dir, seed uint64) {
	l := &g.Links[id.Link()]
	d.rate = l.Rate
	if d.rate == 0 {
		d.rate = defaultRate
	}
	if psBits%d.rate == 0 {
		d.psByte = psBits / d.rate
	}
	d.delay = int64(l.Delay) * psPerNs
	d.limit = neverPs
	if l.Queue > 0 {
		d.limit = d.depth(l.Queue)
	}
	to := g.To(id)
	d.to, d.toHost = int32(to), g.Nodes[to].Host()
	d.mark = newMarker(d, l.ECN, seed, g.DirName(id))
}

// neverPs is the limit of a queue that has none.
const neverPs = 1 << 62

// depth is how long a queue of n bytes takes to drain, rounded down.
func (d *direction) depth(n uint64) int64 {
	hi, lo := bits.Mul64(n, psBits)
	if hi >= d.rate {
		return neverPs
	}
	q, _ := bits.Div64(hi, lo, d.rate)
	return int64(min(q, neverPs))
}

// time is how long the port takes for n bytes; fractions of a picosecond are carried to the next packet.
func (d *direction) time(n uint32) int64 {
	if d.psByte > 0 {
		return int64(uint64(n) * d.psByte)
	}
	hi, lo := bits.Mul64(uint64(n), psBits)
	lo, carry := bits.Add64(lo, d.rem, 0)
	q, rem := bits.Div64((hi+carry)%d.rate, lo, d.rate)
	d.rem = rem
	return int64(q)
}

// offer gives a packet to the egress port of direction id: it is dropped there, or on its way.
func (s *Sim) offer(id int32, f *flight) {
	d := &s.dirs[id]
	d.ledger.Sent++
	d.ledger.Bytes += uint64(f.size)
	if d.down {
		d.free = max(d.free, s.now) + d.time(f.size) // it leaves the sender all the same
		o := d.stack.Cut(f.identity, &s.dirs[id^1].stack)
		s.drop(id, event.DropDown, f.packet, f.size, o.By)
		return
	}
	start := s.now
	if wait := d.free - s.now; wait > 0 {
		if wait+int64(uint64(f.size)*psBits/d.rate) > d.limit {
			s.drop(id, event.DropQueue, f.packet, f.size, nil)
			return
		}
		if !f.marked && wait > d.mark.from {
			f.marked = d.mark.draw(wait, f)
		}
		start = d.free
	}
	d.free = start + d.time(f.size)
	f.at = d.free + d.delay
	if d.ring.n == 0 {
		d.next = s.schedule(f.at, kindArrive, id)
	}
	d.ring.push(*f)
}

// arrive takes the first packet of a direction off the wire; it says whether a device saw it.
func (s *Sim) arrive(e item) (seen bool) {
	id := e.index()
	d := &s.dirs[id]
	if d.next != e.order {
		return false // what this event was for went with the carrier
	}
	f := d.ring.pop()
	if d.ring.n > 0 {
		d.next = s.schedule(d.ring.front().at, kindArrive, id)
	}
	s.hops++
	if !d.stack.Empty() {
		o := d.stack.Fold(f.identity)
		if o.Drop != 0 {
			s.drop(id, o.Drop, f.packet, f.size, o.By)
			return false
		}
		if o.Corrupt {
			d.ledger.Corrupted++
			s.spoil(f.packet, o)
		}
	}
	if !d.toHost {
		s.forward(id, &f)
		return false
	}
	s.deliver(id, &f)
	return true
}

// carrier sets both directions of a link up or down as their layers say: a link has one carrier. When it goes,
// everything on its way is lost, the queues of both ports with it.
func (s *Sim) carrier(id int32) {
	a, b := &s.dirs[id&^1], &s.dirs[id|1]
	down := a.stack.Down() || b.stack.Down()
	if down && !a.down {
		s.cut(id&^1, &b.stack)
		s.cut(id|1, &a.stack)
	}
	a.down, b.down = down, down
}

func (s *Sim) cut(id int32, back *fabric.Stack) {
	d := &s.dirs[id]
	for d.ring.n > 0 {
		f := d.ring.pop()
		o := d.stack.Cut(f.identity, back)
		s.drop(id, event.DropDown, f.packet, f.size, o.By)
	}
	d.free, d.next = s.now, 0
}
