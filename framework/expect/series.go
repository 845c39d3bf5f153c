package expect

import (
	"math"
	"time"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// binsPerSample is how finely goodput is kept: a sample may begin at any bin, so that the sample after a heal
// can begin within a tenth of a sample of it.
const binsPerSample = 10

// series counts bytes per bin of lab time.
type series struct {
	width time.Duration // of a bin
	bins  []uint64
	last  int64 // bin of the last add
	until vtime.Time
	acc   uint64
}

// add counts n bytes at an instant. Instants come in order up to small disorder.
func (s *series) add(at vtime.Time, n uint64) {
	if at < s.until && at >= s.until-vtime.Time(s.width) {
		s.acc += n
		return
	}
	s.turn(at, n)
}

func (s *series) turn(at vtime.Time, n uint64) {
	s.flush()
	if at < 0 {
		at = 0
	}
	s.last = int64(at) / int64(s.width)
	s.until = vtime.Time(s.last+1) * vtime.Time(s.width)
	s.acc = n
}

func (s *series) flush() {
	if s.acc == 0 {
		return
	}
	for int64(len(s.bins)) <= s.last {
		s.bins = append(s.bins, 0)
	}
	s.bins[s.last] += s.acc
	s.acc = 0
}

// Window is a stretch of lab time, From to before To.
type Window struct{ From, To vtime.Time }

// and is what lies in both windows; empty if To is not after From.
func (w Window) and(o Window) Window { return Window{max(w.From, o.From), min(w.To, o.To)} }

// Len is the length of the window, never negative.
func (w Window) Len() time.Duration { return max(0, w.To.Sub(w.From)) }

// Series is goodput over time: first-time payload bytes placed in target memory, per bin.
type Series struct {
	Bin   time.Duration
	Bytes []uint64
}

// sample is the number of nanoseconds of one sample.
func (s *Series) sample() time.Duration { return binsPerSample * s.Bin }

// whole cuts a window to whole bins: indices from, to of the first bin and the one past the last.
func (s *Series) whole(w Window) (from, to int) {
	if w.To <= w.From || s.Bin <= 0 {
		return 0, 0
	}
	from = int((int64(max(w.From, 0)) + int64(s.Bin) - 1) / int64(s.Bin))
	to = int(int64(w.To) / int64(s.Bin))
	return from, max(from, to)
}

// sum is the number of bytes of the bins from … to-1; bins never filled are empty.
func (s *Series) sum(from, to int) (n uint64) {
	for i := from; i < min(to, len(s.Bytes)); i++ {
		n += s.Bytes[i]
	}
	return n
}

// Rate is the mean goodput over the whole bins of a window, in bit/s, and the number of whole samples in it.
func (s *Series) Rate(w Window) (rate float64, samples int) {
	from, to := s.whole(w)
	if to == from {
		return 0, 0
	}
	return float64(s.sum(from, to)) * 8 / (float64(to-from) * s.Bin.Seconds()), (to - from) / binsPerSample
}

// at is the goodput of the sample that begins at bin i, in bit/s.
func (s *Series) at(i int) float64 {
	return float64(s.sum(i, i+binsPerSample)) * 8 / s.sample().Seconds()
}

// Samples returns the goodput of each whole sample of a window, in bit/s.
func (s *Series) Samples(w Window) []float64 {
	from, to := s.whole(w)
	var out []float64
	for ; from+binsPerSample <= to; from += binsPerSample {
		out = append(out, s.at(from))
	}
	return out
}

// Floor is the least goodput of any sample of a window, in bit/s; NaN if no whole sample lies in it.
func (s *Series) Floor(w Window) float64 {
	from, to := s.whole(w)
	if to-from < binsPerSample {
		return math.NaN()
	}
	floor := math.Inf(1)
	for ; from+binsPerSample <= to; from++ {
		floor = min(floor, s.at(from))
	}
	return floor
}
