package spray_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"github.com/stellarlab/stellarlab/spray"
	"pgregory.net/rapid"
)

const rtt = 10 * time.Microsecond

func paths(t testing.TB, c spray.Config) *spray.Paths {
	t.Helper()
	p, err := spray.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestConformance holds every policy of the catalogue to what Pick and Entropy promise.
func TestConformance(t *testing.T) {
	last := ""
	for _, k := range spray.Catalogue() {
		if k.Name <= last || k.Does == "" {
			t.Errorf("%q after %q: want a sorted catalogue with descriptions", k.Name, last)
		}
		last = k.Name
		for _, n := range []int{1, 2, 3, 4, 127, 128, spray.MaxPaths} {
			c := spray.Config{Policy: k.Name, Paths: n, Seed: 5}
			p, same := paths(t, c), paths(t, c)
			seen := map[uint16]int{}
			for range 8 * n {
				q := p.Pick(0, -1)
				if int(q) >= n {
					t.Fatalf("%s: path %d of %d", k.Name, q, n)
				}
				if r := same.Pick(0, -1); r != q {
					t.Fatalf("%s: paths %d and %d from one seed", k.Name, q, r)
				}
				seen[q]++
			}
			want := n
			if k.Name == "single" {
				want = 1
			}
			if len(seen) != want {
				t.Errorf("%s: %d of %d paths are used", k.Name, len(seen), n)
			}
			for q := range n {
				if got := p.Pick(0, q); n > 1 && int(got) == q {
					t.Errorf("%s: a packet that path %d of %d lost takes it again", k.Name, q, n)
				}
			}
		}
	}
}

func TestEntropyIsDistinctAndItsOwn(t *testing.T) {
	sets := map[uint16]int{}
	for s := range seed.Key(20) {
		p := paths(t, spray.Config{Paths: spray.MaxPaths, Seed: s})
		seen := map[uint16]bool{}
		for i := range uint16(spray.MaxPaths) {
			e := p.Entropy(i)
			if e < 49152 || seen[e] || p.Entropy(i) != e {
				t.Fatalf("seed %d: path %d has entropy %d: want a distinct, constant one from 49152 on", s, i, e)
			}
			seen[e] = true
		}
		sets[p.Entropy(0)]++
	}
	if len(sets) < 15 {
		t.Errorf("20 queue pairs begin with %d different entropies", len(sets))
	}
}

func TestConfigNamesEveryWrongField(t *testing.T) {
	for _, c := range []spray.Config{{Policy: "best"}, {Paths: -1}, {Paths: spray.MaxPaths + 1}, {BaseRTT: -1}, {TargetDelay: -1}} {
		if _, err := spray.New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// TestNoHistoryBreaksThePaths drives Paths through any history: a path is always chosen, never the one that lost
// the packet if there is another, the window stays in its bounds, and changes alternate per path.
func TestNoHistoryBreaksThePaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "paths")
		policy := rapid.SampledFrom(spray.Names()).Draw(t, "policy")
		p, err := spray.New(spray.Config{
			Policy: policy, Paths: n, MTU: 4096, Window: 1 << 17, BaseRTT: rtt, Seed: seed.Key(rapid.Uint64().Draw(t, "seed")),
		})
		if err != nil {
			t.Fatal(err)
		}
		now, out := vtime.Time(0), make([]bool, n)
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 200_000).Draw(t, "pause")))
			path := uint16(rapid.IntRange(0, n-1).Draw(t, "path"))
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				if q := p.Pick(now, -1); int(q) >= n {
					t.Fatalf("path %d of %d", q, n)
				}
			case 1:
				if q := p.Pick(now, int(path)); int(q) >= n || n > 1 && q == path {
					t.Fatalf("path %d of %d, to avoid %d", q, n, path)
				}
			case 2:
				p.Acked(now, path, 4096, time.Duration(rapid.IntRange(0, 100_000).Draw(t, "rtt")), rapid.Uint32Range(0, 5).Draw(t, "ce"))
			case 3:
				p.Lost(now, path, 4096)
			}
			if w := p.Window(); w < 4096 || w > 1<<17 {
				t.Fatalf("window %d", w)
			}
			for {
				path, is, until, ok := p.Change()
				if !ok {
					break
				}
				if out[path] == is || is && until <= now {
					t.Fatalf("path %d out %v, was %v, until %v at %v", path, is, out[path], until, now)
				}
				out[path] = is
			}
		}
	})
}

// fabric loses packets by path; it answers after a round trip, loss after the timeout.
type fabric struct {
	p    *spray.Paths
	now  vtime.Time
	due  []fate // in order of time
	rto  time.Duration
	lose func(path uint16) bool
	sent []int // per path
}

type fate struct {
	at   vtime.Time
	path uint16
	lost bool
}

// send sends count packets, one each 300 ns, and returns how many were lost.
func (f *fabric) send(count int) (lost int) {
	for range count {
		f.now = f.now.Add(300 * time.Nanosecond)
		rest := f.due[:0]
		for _, d := range f.due {
			switch {
			case d.at > f.now:
				rest = append(rest, d)
			case d.lost:
				f.p.Lost(f.now, d.path, 4096)
			default:
				f.p.Acked(f.now, d.path, 4096, rtt, 0)
			}
		}
		f.due = rest
		path := f.p.Pick(f.now, -1)
		f.sent[path]++
		d := fate{at: f.now.Add(rtt), path: path, lost: f.lose(path)}
		if d.lost {
			d.at = f.now.Add(f.rto)
			lost++
		}
		f.due = append(f.due, d)
	}
	return lost
}

func drain(p *spray.Paths) (outs, backs int) {
	for {
		_, out, _, ok := p.Change()
		switch {
		case !ok:
			return outs, backs
		case out:
			outs++
		default:
			backs++
		}
	}
}

func TestADeadPathGoesOutIsProbedAndComesBack(t *testing.T) {
	down := true
	f := &fabric{p: paths(t, spray.Config{Paths: 16, BaseRTT: rtt, Seed: 3}), rto: 250 * time.Microsecond, sent: make([]int, 16)}
	f.lose = func(path uint16) bool { return down && path == 7 }
	f.send(20_000) // 6 ms
	outs, backs := drain(f.p)
	if outs != 1 || backs != 0 {
		t.Fatalf("%d paths out, %d back: want the dead one out", outs, backs)
	}
	if lost := f.send(20_000); lost > 10 {
		t.Errorf("a path that is out ate %d of 20,000 packets: want single probes", lost)
	}
	down = false
	f.send(100_000) // 30 ms: the longest probe interval is 20
	if _, backs := drain(f.p); backs != 1 {
		t.Fatalf("%d paths back: want the repaired one", backs)
	}
	f.sent[7] = 0
	f.send(1600)
	if f.sent[7] < 90 || f.sent[7] > 110 {
		t.Errorf("the path that is back carries %d of 1600 packets: want its sixteenth", f.sent[7])
	}
}

func TestRandomLossPutsFewPathsOut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	f := &fabric{p: paths(t, spray.Config{BaseRTT: rtt, Seed: 3}), rto: 250 * time.Microsecond, sent: make([]int, 128)}
	f.lose = func(uint16) bool { return r.Float64() < 0.01 }
	f.send(50_000)
	outs, _ := drain(f.p)
	if outs > 12 {
		t.Errorf("1 %% random loss put a path out %d times: want at most 12 of 128", outs)
	}
	for path, n := range f.sent {
		if n < 100 {
			t.Errorf("path %d carried %d of 50,000 packets", path, n)
		}
	}
}

func TestWithAllPathsDeadAllAreTried(t *testing.T) {
	f := &fabric{p: paths(t, spray.Config{Paths: 8, BaseRTT: rtt, Seed: 3}), rto: 250 * time.Microsecond, sent: make([]int, 8)}
	f.lose = func(uint16) bool { return true }
	f.send(10_000)
	for path, n := range f.sent {
		if n == 0 {
			t.Errorf("path %d was never tried", path)
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	for _, name := range spray.Names() {
		p := paths(t, spray.Config{Policy: name, Seed: 1})
		now := vtime.Time(0)
		if n := testing.AllocsPerRun(1000, func() {
			now += 300
			p.Acked(now, p.Pick(now, -1), 4096, rtt, 0)
			_ = p.Window()
		}); n != 0 {
			t.Errorf("%s: %v allocations a packet", name, n)
		}
	}
}

func BenchmarkPickAcked(b *testing.B) {
	for _, name := range spray.Names() {
		b.Run(name, func(b *testing.B) {
			p := paths(b, spray.Config{Policy: name, Seed: 1})
			now := vtime.Time(0)
			b.ReportAllocs()
			for b.Loop() {
				now += 300
				p.Acked(now, p.Pick(now, -1), 4096, rtt, 0)
			}
		})
	}
}
