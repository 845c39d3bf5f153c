//go:build linux

package sock

import (
	"slices"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// later holds answers until they are due, ties in order of put. The few that are outstanding at a time do
// not need a heap.
type later struct{ waiting []dueAnswer }

type dueAnswer struct {
	at vtime.Time
	a  host.Answer
}

func (l *later) put(at vtime.Time, a host.Answer) {
	i := len(l.waiting)
	for i > 0 && l.waiting[i-1].at > at {
		i--
	}
	l.waiting = slices.Insert(l.waiting, i, dueAnswer{at, a})
}

// take returns the next answer that is due at now.
func (l *later) take(now vtime.Time) (host.Answer, bool) {
	if len(l.waiting) == 0 || l.waiting[0].at > now {
		return host.Answer{}, false
	}
	a := l.waiting[0].a
	l.waiting = slices.Delete(l.waiting, 0, 1)
	return a, true
}

// next is when the first answer is due.
func (l *later) next() vtime.Time {
	if len(l.waiting) == 0 {
		return vtime.Never
	}
	return l.waiting[0].at
}
