package spray

import (
	"time"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Health of paths. A loss makes a path suspect: it rests for a few round trips, whatever the cause, so that a
// retransmission and what follows it go elsewhere. A path that loses again before anything came through is out:
// single packets probe it at intervals that double, and several probes in a row must come through before it
// carries its share again. Random loss suspends a path for moments; only a path that carries nothing stays out.
const (
	restRTTs    = 64 // a suspect path rests this many base round trips; also the first probe interval
	maxBackoff  = 5  // the probe interval doubles this many times at most
	goodProbes  = 2  // in a row, until the path is back
	strikesOut  = 2  // losses in a row, until the path is out
	maxStrikes  = 250
	probeWindow = 4 // rests; a probe that is neither acknowledged nor lost by then may be repeated
)

type standing struct {
	strikes uint8 // losses since the latest acknowledgement
	good    uint8 // probes that came through since it went out
	backoff uint8
	out     bool
	resting bool       // out, or suspect: not proposed before until
	until   vtime.Time // the next probe
	heard   vtime.Time // the latest acknowledgement
	asked   vtime.Time // a packet chosen then, and none since the latest answer before it, awaits one
	waits   bool       // asked is set
}

type health struct {
	rest    time.Duration
	paths   []standing
	out     int        // paths that rest
	heard   vtime.Time // the latest acknowledgement on any path
	changes []change
}

type change struct {
	path  uint16
	out   bool
	until vtime.Time
}

func newHealth(c Config) health {
	return health{rest: restRTTs * c.BaseRTT, paths: make([]standing, c.Paths)}
}

// usable says that path may carry a packet now. fresh is false for a retransmission, which never probes.
func (h *health) usable(now vtime.Time, path uint16, fresh bool) bool {
	s := &h.paths[path]
	switch {
	case !s.resting:
		return true
	case now < s.until:
		return false
	case !s.out:
		h.rested(s)
		return true
	case !fresh:
		return false
	}
	s.until = now.Add(probeWindow * h.rest << s.backoff) // one probe at a time
	return true
}

func (h *health) rested(s *standing) {
	s.resting = false
	h.out--
}

// chosen notes that path carries a packet.
func (h *health) chosen(now vtime.Time, path uint16) {
	if s := &h.paths[path]; !s.waits || now.Sub(s.asked) > h.rest {
		s.waits, s.asked = true, now
	}
}

// silent says that a packet on path has gone unanswered for patience while other paths were answered. That proves
// nothing, so it changes no standing; but a dead path takes one packet, not one of every round, until the timeout
// tells. After a rest it is asked again. Where nothing is answered, as for acknowledgements, nothing is silent.
func (h *health) silent(now vtime.Time, path uint16, patience time.Duration) bool {
	s := &h.paths[path]
	return s.waits && h.heard.Sub(s.asked) > patience && now.Sub(s.asked) <= h.rest
}

func (h *health) acked(now vtime.Time, path uint16) {
	s := &h.paths[path]
	s.heard, s.waits, h.heard = now, false, now
	s.strikes = 0
	if !s.resting {
		return
	}
	if s.out {
		s.good++
		s.until = now // the next probe may follow at once
		if s.good < goodProbes {
			return
		}
		s.out, s.good = false, 0
		h.changes = append(h.changes, change{path: path})
	}
	if s.backoff > 0 {
		s.backoff-- // a path that relapses soon waits longer than one that held
	}
	h.rested(s)
}

func (h *health) lost(now vtime.Time, path uint16) {
	s := &h.paths[path]
	s.waits = false
	if s.resting && !s.out && now.Sub(s.heard) <= h.rest/2 {
		return // sent before the path went to rest, among packets that came through: not a second loss in a row
	}
	s.strikes = min(s.strikes+1, maxStrikes)
	s.good = 0
	if !s.resting {
		s.resting = true
		h.out++
	}
	if s.strikes >= strikesOut && !s.out {
		s.out = true
		s.until = now.Add(h.rest << s.backoff)
		h.changes = append(h.changes, change{path, true, s.until})
	} else {
		s.until = now.Add(h.rest << s.backoff)
	}
	if s.out {
		s.backoff = min(s.backoff+1, maxBackoff)
	}
}

func (h *health) change() (path uint16, out bool, until vtime.Time, ok bool) {
	if len(h.changes) == 0 {
		return 0, false, 0, false
	}
	c := h.changes[0]
	h.changes = append(h.changes[:0], h.changes[1:]...)
	return c.path, c.out, c.until, true
}
