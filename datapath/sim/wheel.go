package sim

import "math/bits"

// slots is the number of slots of a wheel: one word of words of bits.
const slots = 64 * 64

// wheel is the events to come, in order. Almost all of them lie less than a packet's time and a link's delay
// ahead: they go to a slot by their time, so that adding and taking costs the same however many there are. What
// lies beyond the wheel's turn waits in a heap.
type wheel struct {
	shift uint  // log2 of the ps of a slot
	turn  int64 // number of the slot of the latest event taken: nothing is added before it
	near  int   // events in slots
	first [slots]int32
	last  [slots]int32
	set   [slots / 64]uint64 // slots that hold something
	sets  uint64             // words of set that are not zero
	nodes []node
	spare int32 // free node; 0: none
	far   heap
}

// node is an event in a slot, before the next of its slot. Node 0 is none.
type node struct {
	item
	next int32
}

// newWheel returns an empty wheel whose turn is at least span ps.
func newWheel(span int64) *wheel {
	w := &wheel{nodes: make([]node, 1)}
	for slots<<w.shift < span {
		w.shift++
	}
	return w
}

// push adds an event, not before the latest taken.
func (w *wheel) push(e item) {
	slot := e.at >> w.shift
	if slot-w.turn >= slots {
		w.far.push(e)
		return
	}
	i := w.spare
	if i > 0 {
		w.spare = w.nodes[i].next
	} else {
		i = int32(len(w.nodes))
		w.nodes = append(w.nodes, node{})
	}
	w.near++
	w.nodes[i] = node{item: e}
	s := slot & (slots - 1)
	if w.set[s/64]&(1<<(s%64)) == 0 {
		w.set[s/64] |= 1 << (s % 64)
		w.sets |= 1 << (s / 64)
		w.first[s], w.last[s] = i, i
		return
	}
	if l := w.last[s]; !e.before(w.nodes[l].item) { // most come in order
		w.nodes[l].next = i
		w.last[s] = i
		return
	}
	at := &w.first[s]
	for !e.before(w.nodes[*at].item) {
		at = &w.nodes[*at].next
	}
	w.nodes[i].next = *at
	*at = i
}

// slot returns the first slot that holds something, from turn on; some slot must.
func (w *wheel) slot() int64 {
	s := w.turn & (slots - 1)
	if rest := w.set[s/64] >> (s % 64); rest != 0 {
		return s + int64(bits.TrailingZeros64(rest))
	}
	// The words after this one come first, those up to it, itself included, a turn later.
	k := bits.TrailingZeros64(bits.RotateLeft64(w.sets, -int(s/64+1)))
	word := (s/64 + 1 + int64(k)) % 64
	return word*64 + int64(bits.TrailingZeros64(w.set[word]))
}

// take removes the first event if it is before limit.
func (w *wheel) take(limit int64) (e item, ok bool) {
	if w.near > 0 {
		s := w.slot()
		i := w.first[s]
		e = w.nodes[i].item
		if len(w.far) > 0 && w.far[0].before(e) {
			return w.takeFar(limit)
		}
		if e.at >= limit {
			return e, false
		}
		w.near--
		if next := w.nodes[i].next; next > 0 {
			w.first[s] = next
		} else if w.set[s/64] &^= 1 << (s % 64); w.set[s/64] == 0 {
			w.sets &^= 1 << (s / 64)
		}
		w.nodes[i].next = w.spare
		w.spare = i
		w.turn = e.at >> w.shift
		return e, true
	}
	if len(w.far) > 0 {
		return w.takeFar(limit)
	}
	return e, false
}

func (w *wheel) takeFar(limit int64) (e item, ok bool) {
	if e = w.far[0]; e.at >= limit {
		return e, false
	}
	w.far.pop()
	w.turn = e.at >> w.shift
	return e, true
}
