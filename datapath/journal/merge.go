package journal

import (
	"iter"

	"github.com/stellarlab/stellarlab/internal/event"
)

// Merge returns the events of several journals as one, by lab time, then node, then the order of the journals and
// of the events in each. Each journal must be in order of lab time, as one owner loop writes it. The first error of
// any ends the merge.
func Merge(journals ...iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		heads := make([]head, 0, len(journals))
		defer func() {
			for _, h := range heads {
				h.stop()
			}
		}()
		for _, j := range journals {
			h := head{}
			h.pull, h.stop = iter.Pull2(j)
			heads = append(heads, h)
			if err := heads[len(heads)-1].next(); err != nil {
				yield(event.Event{}, err)
				return
			}
		}
		for {
			first := -1
			for i := range heads {
				if heads[i].ok && (first < 0 || heads[i].before(&heads[first])) {
					first = i
				}
			}
			if first < 0 {
				return
			}
			if !yield(heads[first].e, nil) {
				return
			}
			if err := heads[first].next(); err != nil {
				yield(event.Event{}, err)
				return
			}
		}
	}
}

// head is the next event of one journal.
type head struct {
	pull func() (event.Event, error, bool)
	stop func()
	e    event.Event
	ok   bool
}

func (h *head) next() (err error) {
	h.e, err, h.ok = h.pull()
	return err
}

func (h *head) before(o *head) bool {
	return h.e.At < o.e.At || h.e.At == o.e.At && h.e.Node < o.e.Node
}
