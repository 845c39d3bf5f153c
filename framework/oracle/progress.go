package oracle

import (
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Budget is how long a packet may go unanswered before its work request fails: retries timeouts after the
// first, each twice as long as the one before, up to 16 times (SCENARIO §1, devices).
func Budget(rto time.Duration, retries int) time.Duration {
	var sum time.Duration
	for i := range max(retries, 0) + 1 {
		sum += rto << min(i, 4)
	}
	return sum
}

// progress claims that a flow with work outstanding places a byte or completes a request within twice its retry
// budget, counting only the time in which a path was up. Memory and translations that had to be fetched may take
// their time on top, at both ends, as long as the slowest answer of either host took: waiting for answers without
// end is no progress.
type progress struct {
	tally
	judge   *Judge
	asked   map[ask]vtime.Time
	slowest map[int32]int64 // by host, nanoseconds
}

// ask is a request that a device waits for.
type ask struct {
	node   int32
	entry  bool // of the translation table, not for memory
	ticket uint64
}

func newProgress(j *Judge) claim {
	return &progress{judge: j, asked: map[ask]vtime.Time{}, slowest: map[int32]int64{}}
}

func (c *progress) result() *tally { return &c.tally }

func (c *progress) on() []handler {
	return []handler{
		{event.Placed, c.moved},
		{event.Completed, c.moved},
		{event.NeedMem, c.waits},
		{event.NeedEntry, c.waits},
		{event.MemReady, c.answered},
		{event.MemFailed, c.answered},
		{event.EntryReady, c.answered},
	}
}

func askOf(e *event.Event) ask {
	return ask{e.Node, e.Kind == event.NeedEntry || e.Kind == event.EntryReady, e.C}
}

func (c *progress) waits(s *step) { c.asked[askOf(s.ev)] = s.at }

func (c *progress) answered(s *step) {
	a := askOf(s.ev)
	if since, ok := c.asked[a]; ok {
		delete(c.asked, a)
		c.slowest[a.node] = max(c.slowest[a.node], int64(s.at-since))
	}
}

func (c *progress) moved(s *step) {
	if s.flow == nil || s.flow.outstanding() == 0 {
		return
	}
	c.checked++
	if int64(s.at-s.flow.moved) > s.flow.limit {
		c.stall(s)
	}
}

func (c *progress) finish(s *step, end *End) {
	for i := range c.judge.flows {
		f := &c.judge.flows[i]
		if f.outstanding() > 0 && int64(end.Ended-f.moved) > f.limit {
			s.flow, s.message = f, f.oldest
			c.stall(s)
		}
	}
}

// stall looks at a gap that is too long at first sight: the time without a path does not count.
func (c *progress) stall(s *step) {
	f := s.flow
	grace := c.slowest[f.From] + c.slowest[f.To]
	if up := c.judge.up(f, f.moved, s.at); up > f.limit+grace {
		c.fail(s, "no byte and no completion for %v with a path up for %v of it, where %v is twice the retry budget",
			s.at.Sub(f.moved), time.Duration(up), time.Duration(f.limit))
	}
}

// up is how many nanoseconds between from and to a path was up both ways between the ends of f.
func (j *Judge) up(f *flow, from, to vtime.Time) int64 {
	active := make([]bool, len(j.active))
	var sum int64
	last := from
	count := func(until vtime.Time) {
		until = min(until, to)
		if until > last {
			if j.reaches(f.From, f.To, active) && j.reaches(f.To, f.From, active) {
				sum += int64(until - last)
			}
			last = until
		}
	}
	for _, h := range j.history {
		count(h.at)
		active[h.fault] = h.on
	}
	count(to)
	return sum
}

// reaches says whether some shortest path from a to b crosses no direction that an active fault cuts.
func (j *Judge) reaches(a, b int32, active []bool) bool {
	cut := map[fabric.Dir]bool{}
	for i, on := range active {
		if on && i < len(j.cfg.Cuts) {
			for _, d := range j.cfg.Cuts[i] {
				cut[d] = true
			}
		}
	}
	g := j.cfg.Graph
	seen := map[fabric.NodeID]bool{}
	var walk func(n fabric.NodeID) bool
	walk = func(n fabric.NodeID) bool {
		if n == fabric.NodeID(b) {
			return true
		}
		if seen[n] {
			return false
		}
		seen[n] = true
		for _, i := range g.NextHops(n, fabric.NodeID(b)) {
			p := g.Ports(n)[i]
			if !cut[p.Out] && walk(p.Peer) {
				return true
			}
		}
		return false
	}
	return walk(fabric.NodeID(a))
}
