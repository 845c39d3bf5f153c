package sim

// Wheel opens the event queue to its test.
type Wheel struct{ w *wheel }

// NewWheel returns an empty queue made for events up to span ahead.
func NewWheel(span int64) Wheel { return Wheel{newWheel(span)} }

// Push adds the seq-th event.
func (w Wheel) Push(at int64, seq uint64) { w.w.push(item{at: at, order: stamp(seq, kindTimer, 5)}) }

// Take takes the first event before limit.
func (w Wheel) Take(limit int64) (at int64, seq uint64, ok bool) {
	e, ok := w.w.take(limit)
	return e.at, e.order >> seqShift, ok
}
