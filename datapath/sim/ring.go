package sim

// flight is a packet on its way over one direction, with all that a switch needs of it: the packet itself is
// read at its ends only.
type flight struct {
	at       int64  // arrival, ps
	digest   uint64 // fabric.Tuple.Digest
	identity uint64 // fabric.Identity
	packet   int32  // place in the pool
	dst      int32  // host number; -1: nobody has the address
	size     uint32 // bytes on the wire
	marked   bool   // congestion experienced
}

// ring is the packets on their way over one direction, first in first out.
type ring struct {
	buf  []flight // length a power of two
	head uint32
	n    uint32
}

func (r *ring) front() *flight { return &r.buf[r.head&uint32(len(r.buf)-1)] }

func (r *ring) pop() flight {
	f := r.buf[r.head&uint32(len(r.buf)-1)]
	r.head++
	r.n--
	return f
}

func (r *ring) push(f flight) {
	if int(r.n) == len(r.buf) {
		r.grow()
	}
	r.buf[(r.head+r.n)&uint32(len(r.buf)-1)] = f
	r.n++
}

func (r *ring) grow() {
	buf := make([]flight, max(8, 2*len(r.buf)))
	for i := range r.n {
		buf[i] = r.buf[(r.head+i)&uint32(len(r.buf)-1)]
	}
	r.buf, r.head = buf, 0
}
