package sim

// kind says what an event is for; its index says which direction, host or answer.
type kind uint8

const (
	kindArrive kind = iota // the first packet of a direction arrives; index: direction
	kindPull               // a host's NIC takes its next packet; index: host
	kindTimer              // a host's deadline; index: host
	kindAnswer             // a slow request is done; index: place in Sim.answers
)

const (
	indexBits = 24
	kindBits  = 3
	seqShift  = indexBits + kindBits
)

// item is one event: the order of its making above what it is, so that a comparison of order breaks ties.
// 2^37 events fit one run; that is more than a day of work.
type item struct {
	at    int64 // ps
	order uint64
}

func (e item) kind() kind { return kind(e.order >> indexBits & (1<<kindBits - 1)) }
func (e item) index() int32 {
	return int32(e.order & (1<<indexBits - 1))
}

// stamp makes the order of the seq-th event.
func stamp(seq uint64, k kind, index int32) uint64 {
	return seq<<seqShift | uint64(k)<<indexBits | uint64(index)
}

func (e item) before(o item) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

// heap is a 4-ary heap of events: four children share one cache line. While the first event is being worked on
// its place is a hole, which the first event that it makes fills: the usual case costs one sift instead of two.
type heap struct {
	items []item
	hole  bool
}

// open takes the first event out and leaves a hole in its place. The heap must not be empty.
func (h *heap) open() item {
	h.hole = true
	return h.items[0]
}

// close fills the hole, if it is still there.
func (h *heap) close() {
	if !h.hole {
		return
	}
	h.hole = false
	n := len(h.items) - 1
	last := h.items[n]
	h.items = h.items[:n]
	if n > 0 {
		h.down(last)
	}
}

// push adds an event.
func (h *heap) push(e item) {
	if h.hole {
		h.hole = false
		h.down(e)
		return
	}
	h.items = append(h.items, e)
	i := len(h.items) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(h.items[p]) {
			break
		}
		h.items[i] = h.items[p]
		i = p
	}
	h.items[i] = e
}

// down puts e in place of the first event.
func (h *heap) down(e item) {
	items := h.items
	i := 0
	for {
		c := 4*i + 1
		if c >= len(items) {
			break
		}
		least := c
		for k := c + 1; k < min(c+4, len(items)); k++ {
			if items[k].before(items[least]) {
				least = k
			}
		}
		if !items[least].before(e) {
			break
		}
		items[i] = items[least]
		i = least
	}
	items[i] = e
}
