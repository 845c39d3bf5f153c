package oracle_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// pair is two hosts over two switches.
func pair(t testing.TB) *fabric.Graph {
	t.Helper()
	var b fabric.Builder
	h0, h1 := b.Add("host0", fabric.TierHost, 0), b.Add("host1", fabric.TierHost, 0)
	for _, name := range []string{"path0", "path1"} {
		s := b.Add(name, fabric.TierLeaf, 1)
		b.Connect(h0, s, fabric.Profile{})
		b.Connect(h1, s, fabric.Profile{})
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

const (
	size = 10000
	qp   = 77
)

// story writes the events of one flow from host0 to host1 and judges them.
type story struct {
	t     testing.TB
	judge *oracle.Judge
	graph *fabric.Graph
	base  mem.GPA
	at    vtime.Time
	end   oracle.End
}

func begin(t testing.TB, change ...func(*oracle.Config)) *story {
	g := pair(t)
	flows := []host.Flow{{From: 0, To: 1, Size: size, Depth: 2, Count: 4}}
	devices := []host.Config{{RTO: 250 * time.Microsecond, Retries: 7}, {RTO: 250 * time.Microsecond, Retries: 7}}
	cfg := oracle.Config{Graph: g, Flows: flows, Devices: devices, Faults: []string{"cut"}}
	for _, c := range change {
		c(&cfg)
	}
	_, target := host.Layout(flows)
	s := &story{t: t, judge: oracle.New(cfg), graph: g, base: target[0]}
	s.end.Observation = &framework.Observation{Settled: true}
	for d := range 2 * len(g.Links) {
		s.end.Ports = append(s.end.Ports, framework.Port{Dir: fabric.Dir(d), Sent: 5, Delivered: 5})
	}
	s.emit(event.Event{Kind: event.FlowStart, QP: qp})
	return s
}

func (s *story) emit(e event.Event) *story {
	s.at += 1000
	e.At = s.at
	s.judge.Emit(&e)
	return s
}

func (s *story) slot(msn uint64) uint64 { return uint64(s.base) + msn%2*12288 }

func (s *story) post(msn uint64) *story {
	return s.emit(event.Event{Kind: event.Posted, QP: qp, A: msn, B: msn, C: size, D: s.slot(msn)})
}

func (s *story) place(msn, off, n uint64) *story {
	return s.emit(event.Event{Kind: event.Placed, Node: 1, QP: 5, A: s.slot(msn) + off, B: n})
}

func (s *story) whole(msn uint64) *story {
	return s.place(msn, 0, 4096).place(msn, 4096, 4096).place(msn, 8192, size-8192)
}

func (s *story) complete(msn uint64, status engine.Status) *story {
	n := uint64(0)
	if status == engine.Success {
		n = size
	}
	return s.emit(event.Event{Kind: event.Completed, QP: qp, A: msn, B: uint64(status), C: n, D: msn})
}

func (s *story) verify(msn uint64) *story {
	s.end.Checked++
	return s.emit(event.Event{Kind: event.Verified, QP: qp, A: msn, B: size})
}

func (s *story) good(msn uint64) *story {
	return s.post(msn).whole(msn).complete(msn, engine.Success).verify(msn)
}

// broken finishes and returns the violated invariants with their first violation.
func (s *story) broken() map[string]string {
	if s.end.Ended == 0 {
		s.end.Ended = s.at + 1000
	}
	out := map[string]string{}
	for _, r := range s.judge.Finish(s.end) {
		if r.Total > 0 {
			out[r.Name] = r.Violations[0].What
		}
	}
	return out
}

// only demands that exactly the named invariants are violated.
func (s *story) only(names ...string) map[string]string {
	s.t.Helper()
	got := s.broken()
	for _, n := range names {
		if _, ok := got[n]; !ok {
			s.t.Errorf("%s is not violated", n)
		}
	}
	if len(got) != len(names) {
		s.t.Errorf("violated: %v, want %v", got, names)
	}
	return got
}

func TestACleanRunViolatesNothing(t *testing.T) {
	s := begin(t)
	s.post(0).post(1).whole(0).whole(1).complete(0, engine.Success).verify(0).complete(1, engine.Success).verify(1)
	s.good(2).good(3).only()
	for _, r := range s.judge.Finish(s.end) {
		if r.Checked == 0 {
			t.Errorf("%s has checked nothing", r.Name)
		}
	}
}

func TestMessageNumbersMayGoOnFromAnEarlierRun(t *testing.T) {
	begin(t).good(1000).good(1001).only()
}

func TestIntegrity(t *testing.T) {
	s := begin(t).post(0).whole(0).complete(0, engine.Success)
	s.end.Checked++
	s.emit(event.Event{Kind: event.Verified, QP: qp, A: 0, B: size, C: 3, D: 0x1234}).only("integrity")

	s = begin(t).post(0).whole(0).complete(0, engine.Success) // never compared
	s.only("integrity")

	s = begin(t).good(0)
	s.end.Checked++ // one was compared that no event tells of
	s.only("integrity")

	s = begin(t).post(0).whole(0).complete(0, engine.Success)
	s.end.Checked++
	s.emit(event.Event{Kind: event.Verified, QP: qp, A: 0, B: size - 1}).only("integrity")
}

func TestExactlyOnceOfCompletions(t *testing.T) {
	begin(t).good(0).complete(0, engine.Success).only("exactlyOnce", "integrity")
	begin(t).post(0).whole(0).only("exactlyOnce")
	begin(t).emit(event.Event{Kind: event.Completed, QP: 99, A: 0, B: 12}).only("exactlyOnce")
	begin(t).post(0).post(0).whole(0).complete(0, engine.Success).verify(0).only("exactlyOnce")
}

func TestAWorkRequestOutstandingAtTheLimitIsOpenNotViolated(t *testing.T) {
	s := begin(t).post(0)
	s.end.Settled = false
	s.only()
	for _, r := range s.judge.Finish(s.end) {
		if (r.Open != "") != (r.Name == "exactlyOnce") {
			t.Errorf("%s: open is %q", r.Name, r.Open)
		}
	}
}

func TestExactlyOnceOfBytes(t *testing.T) {
	for name, s := range map[string]*story{
		"completed too early": begin(t).post(0).place(0, 0, 4096).complete(0, engine.Success).verify(0),
		"one packet twice":    begin(t).post(0).place(0, 0, 4096).place(0, 0, 4096).place(0, 4096, 4096).place(0, 8192, size-8192).complete(0, engine.Success).verify(0),
		"one twice, one not":  begin(t).post(0).place(0, 0, 4096).place(0, 0, 4096).place(0, 8192, size-8192).complete(0, engine.Success).verify(0),
		"after completion":    begin(t).good(0).place(0, 0, 4096),
	} {
		if got := s.broken(); got["exactlyOnce"] == "" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAFailedMessageMayStillArrive(t *testing.T) {
	begin(t).post(0).place(0, 0, 4096).complete(0, engine.RetryExcErr).place(0, 4096, 4096).only()
}

func TestOrdering(t *testing.T) {
	begin(t).post(0).post(1).whole(1).whole(0).complete(0, engine.Success).verify(0).complete(1, engine.Success).verify(1).only("ordering")
	begin(t).post(0).place(0, 8192, size-8192).place(0, 0, 4096).place(0, 4096, 4096).complete(0, engine.Success).verify(0).only("ordering")
	s := begin(t).post(0).post(1).whole(0).whole(1).complete(1, engine.Success).verify(1).complete(0, engine.Success).verify(0)
	s.only("ordering")
}

func TestRelaxedOrderingAllowsAnyPlacement(t *testing.T) {
	s := begin(t, func(c *oracle.Config) { c.Devices[1].Relaxed = true })
	s.post(0).post(1).whole(1).whole(0).complete(0, engine.Success).verify(0).complete(1, engine.Success).verify(1).only()
}

func TestIsolation(t *testing.T) {
	place := func(node int32, gpa uint64, n uint64) event.Event {
		return event.Event{Kind: event.Placed, Node: node, A: gpa, B: n}
	}
	s := begin(t)
	for name, e := range map[string]event.Event{
		"before the buffer":   place(1, uint64(s.base)-8, 8),
		"after the buffer":    place(1, uint64(s.base)+2*12288, 8),
		"on the wrong host":   place(0, uint64(s.base), 8),
		"on no host":          place(9, uint64(s.base), 8),
		"in a slot not used":  place(1, uint64(s.base)+12288, 8),
		"past the message":    place(1, uint64(s.base)+size, 8),
		"across its end":      place(1, uint64(s.base)+size-4, 8),
		"from far below zero": place(1, 0, 8),
	} {
		if got := begin(t).post(0).emit(e).broken(); got["isolation"] == "" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTranslationSafety(t *testing.T) {
	begin(t).good(0).emit(event.Event{Kind: event.BadAccess, Node: 1, A: uint64(event.BadUnpinned), B: 0x1000, C: 64}).only("translationSafety")
}

func TestLedger(t *testing.T) {
	for name, change := range map[string]func(*oracle.End){
		"a packet is missing":     func(e *oracle.End) { e.Ports[0].Delivered-- },
		"one too many":            func(e *oracle.End) { e.Ports[3].Delivered++ },
		"an unexplained drop":     func(e *oracle.End) { e.Ports[1].Delivered--; e.Ports[1].Dropped[event.DropKernel]++ },
		"a direction not counted": func(e *oracle.End) { e.Ports = e.Ports[1:] },
		"nothing counted": func(e *oracle.End) {
			for i := range e.Ports {
				e.Ports[i].Sent, e.Ports[i].Delivered = 0, 0
			}
		},
	} {
		s := begin(t).good(0)
		change(&s.end)
		if got := s.only("ledger"); got["ledger"] == "" {
			t.Error(name)
		}
	}
	s := begin(t).good(0)
	s.end.Ports[0] = framework.Port{Sent: 10, Duplicated: 2, Delivered: 6, InFlight: 1}
	s.end.Ports[0].Dropped[event.DropLoss], s.end.Ports[0].Dropped[event.DropQueue] = 3, 2
	s.only()
}

func TestProgress(t *testing.T) {
	budget := vtime.Time(oracle.Budget(250*time.Microsecond, 7))
	if want := vtime.Time(79 * 250 * time.Microsecond); budget != want {
		t.Fatalf("budget %v, want %v", budget, want)
	}
	wait := func(d vtime.Time) func(*story) { return func(s *story) { s.at += d } }
	strike, heal := event.Event{Kind: event.FaultStrike}, event.Event{Kind: event.FaultHeal}
	all := func(c *oracle.Config) { // both paths, one way
		c.Cuts = [][]fabric.Dir{nil}
		for _, n := range []string{"host0-path0", "host0-path1"} {
			l, _ := c.Graph.Link(n)
			c.Cuts[0] = append(c.Cuts[0], fabric.Dir(2*l))
		}
	}
	one := func(c *oracle.Config) {
		l, _ := c.Graph.Link("host0-path0")
		c.Cuts = [][]fabric.Dir{{fabric.Dir(2 * l), fabric.Dir(2*l + 1)}}
	}
	for name, c := range map[string]struct {
		config func(*oracle.Config)
		run    func(*story)
		broken bool
	}{
		"short gap":        {nil, func(s *story) { s.post(0); wait(budget)(s); s.whole(0).complete(0, engine.Success).verify(0) }, false},
		"long gap":         {nil, func(s *story) { s.post(0); wait(2*budget + 2000)(s); s.whole(0).complete(0, engine.Success).verify(0) }, true},
		"idle is no stall": {nil, func(s *story) { s.good(0); wait(9 * budget)(s); s.good(1) }, false},
		"no path up": {all, func(s *story) {
			s.post(0).emit(strike)
			wait(9 * budget)(s)
			s.emit(heal).whole(0).complete(0, engine.Success).verify(0)
		}, false},
		"one path up": {one, func(s *story) {
			s.post(0).emit(strike)
			wait(9 * budget)(s)
			s.emit(heal).whole(0).complete(0, engine.Success).verify(0)
		}, true},
		"stalls after a heal": {all, func(s *story) {
			s.post(0).emit(strike).emit(heal)
			wait(3 * budget)(s)
			s.whole(0).complete(0, engine.Success).verify(0)
		}, true},
	} {
		var s *story
		if c.config == nil {
			s = begin(t)
		} else {
			s = begin(t, c.config)
		}
		c.run(s)
		got := s.broken()
		if (got["progress"] != "") != c.broken || len(got) > 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
	s := begin(t).post(0)
	s.end.Ended, s.end.Settled = s.at+3*budget, false
	s.only("progress")
}

func TestViolationsAreCappedCountedAndNamed(t *testing.T) {
	s := begin(t).emit(event.Event{Kind: event.FaultStrike})
	for range 100 {
		s.emit(event.Event{Kind: event.Placed, Node: 1, A: 8, B: 8})
	}
	for _, r := range s.judge.Finish(s.end) {
		if r.Name != "isolation" {
			continue
		}
		if r.Total != 100 || len(r.Violations) != 16 || r.Violations[0].Fault != "cut" || !strings.Contains(r.Violations[0].What, "0x8") {
			t.Errorf("total %d, kept %d, first %+v", r.Total, len(r.Violations), r.Violations[0])
		}
	}
}
