package sim

// heap is a 4-ary heap of events: four children share one cache line.
type heap []item

// push adds an event.
func (h *heap) push(e item) {
	*h = append(*h, e)
	items := *h
	i := len(items) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(items[p]) {
			break
		}
		items[i] = items[p]
		i = p
	}
	items[i] = e
}

// pop removes the first event; the heap must not be empty.
func (h *heap) pop() {
	n := len(*h) - 1
	e := (*h)[n]
	*h = (*h)[:n]
	if n == 0 {
		return
	}
	items := *h
	i := 0
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		least := c
		for k := c + 1; k < min(c+4, n); k++ {
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
