package spray

import "math/rand/v2"

// oblivious walks through a random order of all paths and draws another order when it is through. Each packet's
// path is uniform and unforeseeable from another queue pair, as with independent draws; but any window of
// packets is spread evenly, so queues see less variance than from independent draws.
type oblivious struct {
	order []uint16
	at    int
	r     *rand.Rand
}

func newOblivious(paths int, r *rand.Rand) Policy {
	o := &oblivious{order: make([]uint16, paths), r: r}
	for i := range o.order {
		o.order[i] = uint16(i)
	}
	return o
}

// Next implements Policy: one step of a Fisher-Yates shuffle.
func (o *oblivious) Next() uint16 {
	n := len(o.order)
	if o.at == n {
		o.at = 0
	}
	j := o.at + int(uint64(o.r.Uint32())*uint64(n-o.at)>>32)
	o.order[o.at], o.order[j] = o.order[j], o.order[o.at]
	o.at++
	return o.order[o.at-1]
}
