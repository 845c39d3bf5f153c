package engine

// completions is the completion queue of the device: a ring that grows. It cannot overrun; an application that
// posts and never polls pays with memory.
type completions struct {
	ring       []WC
	head, tail uint64
}

func (c *completions) push(wc WC) {
	n := uint64(len(c.ring))
	if c.tail-c.head == n {
		grown := make([]WC, max(2*n, 64))
		for i := c.head; i < c.tail; i++ {
			grown[i&(uint64(len(grown))-1)] = c.ring[i&(n-1)]
		}
		c.ring, n = grown, uint64(len(grown))
	}
	c.ring[c.tail&(n-1)] = wc
	c.tail++
}

// Poll moves completions to wcs and returns how many. There is one per work request, in order of posting
// per queue pair.
func (e *Engine) Poll(wcs []WC) int {
	c := &e.cq
	n := 0
	for n < len(wcs) && c.head < c.tail {
		wcs[n] = c.ring[c.head&(uint64(len(c.ring))-1)]
		c.head++
		n++
	}
	return n
}
