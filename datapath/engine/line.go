package engine

// The lines of an Engine, as indices of qp.links.
const (
	ackLine = iota
	repairLine
	freshLine
	lines
)

// link is a queue pair's position in one line.
type link struct {
	next *qp
	in   bool
}

// line is a first-in first-out queue of queue pairs, each in it once; taking the first and putting it back
// behind the last is round robin. A queue pair that has nothing to send any more leaves when it is taken.
type line struct {
	first, last *qp
}

// join puts q behind the last unless it stands in line already.
func (l *line) join(q *qp, id int) {
	k := &q.links[id]
	if k.in {
		return
	}
	k.in = true
	if l.last == nil {
		l.first = q
	} else {
		l.last.links[id].next = q
	}
	l.last = q
}

// take removes and returns the first, or nil.
func (l *line) take(id int) *qp {
	q := l.first
	if q == nil {
		return nil
	}
	k := &q.links[id]
	l.first = k.next
	if l.first == nil {
		l.last = nil
	}
	*k = link{}
	return q
}
