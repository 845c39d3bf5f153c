package expect

import (
	"time"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Recovery describes how a workload came back after one instant.
type Recovery struct {
	Origin     vtime.Time    // the heal, or the strike of a fault that never healed
	After      time.Duration // from Origin to the first of the good samples; negative: not seen
	Relapses   int           // samples below the mark afterwards, while no fault was active
	Conclusive bool          // there was time and load enough to tell
}

// mark is what a sample must reach to be good, and for how long.
type mark struct {
	rate    float64 // bit/s
	samples int     // consecutive
	within  time.Duration
}

// recovery looks for the first k consecutive good samples from origin on (SCENARIO §4). Samples may begin at any
// bin. The load must have lasted for within and the samples after it, or until they were found.
func (e *Evidence) recovery(w *Workload, origin vtime.Time, m mark) Recovery {
	r := Recovery{Origin: origin, After: -1}
	s := &w.Goodput
	k := m.samples * binsPerSample
	from, to := s.whole(Window{max(origin, w.Loaded.From), w.Loaded.To})
	for i := from; i+k <= to; i++ {
		if !s.good(i, m) {
			continue
		}
		r.After = max(0, (vtime.Time(i) * vtime.Time(s.Bin)).Sub(origin))
		r.Conclusive = true
		r.Relapses = e.relapses(s, i+k, to, origin, m)
		return r
	}
	needed := int64(origin) + int64(m.within) + int64(k)*int64(s.Bin)
	r.Conclusive = int64(to)*int64(s.Bin) >= needed && from < to
	return r
}

// good says that the samples from bin i on are all at the mark.
func (s *Series) good(i int, m mark) bool {
	for n := range m.samples {
		if s.at(i+n*binsPerSample) < m.rate {
			return false
		}
	}
	return true
}

// relapses counts samples below the mark from bin i on, while no fault was active. A fault that struck later has
// the same time to be recovered from: what it leaves in that time is not a relapse of the earlier one.
func (e *Evidence) relapses(s *Series, i, to int, origin vtime.Time, m mark) (n int) {
	for ; i+binsPerSample <= to; i += binsPerSample {
		from := vtime.Time(i) * vtime.Time(s.Bin)
		if s.at(i) < m.rate && e.quiet(Window{from, from.Add(s.sample())}, origin, m.within) {
			n++
		}
	}
	return n
}
