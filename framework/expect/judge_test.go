package expect_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

const (
	sample = 100 * time.Microsecond
	bin    = sample / 10
	ms     = vtime.Time(time.Millisecond)
	us     = vtime.Time(time.Microsecond)
	full   = 12500 // bytes per bin at 10 Gb/s
)

// load is a measured workload at 10 Gb/s until end, with each dip's share of it inside the dip.
type dip struct {
	from, to vtime.Time
	share    float64
}

func measured(end vtime.Time, dips ...dip) *expect.Measurement {
	m := &expect.Measurement{Sample: sample, Ended: end}
	w := expect.Workload{
		Name: "bulk", Flows: 1, Loaded: expect.Window{To: end}, Finished: end,
		Posted: 100, Operations: 100, Packets: 1000, Paths: make([]expect.PathUse, 4),
	}
	w.Goodput.Bin = bin
	for at := vtime.Time(0); at < end; at += vtime.Time(bin) {
		v := float64(full)
		for _, d := range dips {
			if at >= d.from && at < d.to {
				v *= d.share
			}
		}
		w.Goodput.Bytes = append(w.Goodput.Bytes, uint64(v))
	}
	for i := range w.Paths {
		w.Paths[i].Packets = 250
	}
	m.Workloads = []expect.Workload{w}
	return m
}

// evidence is a run with one fault "cut" that struck at 2 ms and healed at 4 ms.
func evidence(dips ...dip) *expect.Evidence {
	e := &expect.Evidence{Run: measured(10*ms, dips...), Baseline: measured(10 * ms), Occurrence: []string{"cut"}, Settled: true}
	e.Run.Faults = []expect.Fault{{Strike: 2 * ms, Heal: 4 * ms, Detected: vtime.Never}}
	return e
}

// params decodes parameters as a scenario file holds them.
func params(t *testing.T, kind, text string) expect.Params {
	t.Helper()
	k, ok := expect.Lookup(kind)
	if !ok {
		t.Fatalf("no kind %s", kind)
	}
	p := k.New()
	if err := yaml.UnmarshalWithOptions([]byte(text), p, yaml.Strict()); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := p.Validate(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

// is demands an outcome, and returns what was measured, NaN for nothing.
func is(t *testing.T, what string, got expect.Finding, want expect.Outcome) float64 {
	t.Helper()
	if got.Outcome != want {
		t.Errorf("%s: %s (%s), want %s", what, got.Outcome, got.Message, want)
	}
	if got.Message == "" {
		t.Errorf("%s: says nothing", what)
	}
	if got.Measured == nil {
		return math.NaN()
	}
	return *got.Measured
}

const recovery = "{workload: bulk, after: cut, to: 95%, within: 1ms}"

func TestRecoveryIsTheFirstOfFiveGoodSamplesAfterTheHeal(t *testing.T) {
	p := params(t, "recovery", recovery)
	for name, c := range map[string]struct {
		dips  []dip
		want  expect.Outcome
		after time.Duration
	}{
		"never dipped":        {nil, expect.Pass, 0},
		"back at once":        {[]dip{{2 * ms, 4 * ms, 0}}, expect.Pass, 0},
		"back after 300 us":   {[]dip{{2 * ms, 4*ms + 300*us, 0.4}}, expect.Pass, 300 * time.Microsecond},
		"back after 1.2 ms":   {[]dip{{2 * ms, 5*ms + 200*us, 0.4}}, expect.Fail, 1200 * time.Microsecond},
		"two good, then bad":  {[]dip{{2 * ms, 4 * ms, 0}, {4*ms + 200*us, 4*ms + 400*us, 0.4}}, expect.Pass, 400 * time.Microsecond},
		"at 96 %":             {[]dip{{2 * ms, 10 * ms, 0.96}}, expect.Pass, 0},
		"never back":          {[]dip{{2 * ms, 10 * ms, 0.9}}, expect.Fail, -1},
		"relapse":             {[]dip{{2 * ms, 4 * ms, 0}, {8 * ms, 8*ms + 100*us, 0.5}}, expect.Fail, 0},
		"relapse of one bin":  {[]dip{{2 * ms, 4 * ms, 0}, {8 * ms, 8*ms + 10*us, 0.6}}, expect.Pass, 0},
		"last moment of load": {[]dip{{2 * ms, 9*ms + 800*us, 0}}, expect.Fail, -1},
	} {
		got := is(t, name, p.Judge(evidence(c.dips...)), c.want)
		if c.after >= 0 && got != float64(c.after) || c.after < 0 && !math.IsNaN(got) {
			t.Errorf("%s: measured %v, want %v", name, time.Duration(got), c.after)
		}
	}
}

func TestRecoveryIsInconclusiveWhereTheLoadCannotTell(t *testing.T) {
	p := params(t, "recovery", recovery)
	for name, change := range map[string]func(*expect.Evidence){
		"the load ended before the heal":     func(e *expect.Evidence) { e.Run.Workloads[0].Loaded.To = 3 * ms },
		"the load ended before five samples": func(e *expect.Evidence) { e.Run.Workloads[0].Loaded.To = 4*ms + 450*us },
		"no baseline":                        func(e *expect.Evidence) { e.Baseline = nil },
		"a baseline of four samples":         func(e *expect.Evidence) { e.Baseline.Workloads[0].Loaded.To = 450 * us },
		"a baseline that carried nothing":    func(e *expect.Evidence) { clear(e.Baseline.Workloads[0].Goodput.Bytes) },
		"a baseline that failed":             func(e *expect.Evidence) { e.Baseline.Workloads[0].Statuses[12] = 1 },
		"the fault never struck":             func(e *expect.Evidence) { e.Run.Faults[0].Strike = vtime.Never },
		"no such fault":                      func(e *expect.Evidence) { e.Occurrence[0] = "other" },
		"finer than the jitter":              func(e *expect.Evidence) { e.Jitter = 2 * time.Millisecond },
	} {
		e := evidence()
		change(e)
		is(t, name, p.Judge(e), expect.Inconclusive)
	}
}

func TestRecoveryCountsFromEveryHealOfARepeatedFault(t *testing.T) {
	e := evidence(dip{2 * ms, 3 * ms, 0}, dip{5 * ms, 7 * ms, 0})
	e.Occurrence = []string{"cut#1", "cut#2"}
	e.Run.Faults = []expect.Fault{{Strike: 2 * ms, Heal: 3 * ms}, {Strike: 5 * ms, Heal: 6 * ms}}
	if got := is(t, "slowest of two", params(t, "recovery", recovery).Judge(e), expect.Pass); got != float64(ms) {
		t.Errorf("measured %v, want 1ms", time.Duration(got))
	}
}

func TestAFaultThatNeverHealsIsJudgedFromItsStrike(t *testing.T) {
	e := evidence(dip{2 * ms, 2*ms + 500*us, 0})
	e.Run.Faults[0].Heal = vtime.Never
	if got := is(t, "from the strike", params(t, "recovery", recovery).Judge(e), expect.Pass); got != float64(500*us) {
		t.Errorf("measured %v, want 500us", time.Duration(got))
	}
}

func TestABadSampleUnderAnotherFaultIsNoRelapse(t *testing.T) {
	e := evidence(dip{2 * ms, 4 * ms, 0}, dip{7 * ms, 8 * ms, 0})
	e.Occurrence = append(e.Occurrence, "other")
	e.Run.Faults = append(e.Run.Faults, expect.Fault{Strike: 7 * ms, Heal: 8 * ms})
	is(t, "under another fault", params(t, "recovery", recovery).Judge(e), expect.Pass)
}

func TestGoodput(t *testing.T) {
	half := dip{2 * ms, 4 * ms, 0.5}
	for text, want := range map[string]expect.Outcome{
		"{workload: bulk, during: cut, atLeast: 50%}":    expect.Pass,
		"{workload: bulk, during: cut, atLeast: 51%}":    expect.Fail,
		"{workload: bulk, during: cut, atLeast: 5Gbps}":  expect.Pass,
		"{workload: bulk, during: cut, atLeast: 6Gbps}":  expect.Fail,
		"{workload: bulk, during: run, atLeast: 90%}":    expect.Pass,
		"{workload: bulk, during: run, atLeast: 91%}":    expect.Fail,
		"{workload: bulk, after: cut, atLeast: 100%}":    expect.Pass,
		"{workload: bulk, before: cut, atLeast: 10Gbps}": expect.Pass,
	} {
		is(t, text, params(t, "goodput", text).Judge(evidence(half)), want)
	}
	during := params(t, "goodput", "{workload: bulk, during: cut, atLeast: 50%}")
	e := evidence(half)
	e.Run.Workloads[0].Loaded.To = 2 * ms
	is(t, "ended before the fault", during.Judge(e), expect.Inconclusive)
	e = evidence(half)
	e.Baseline = nil
	is(t, "no baseline", during.Judge(e), expect.Inconclusive)
}

func TestCompletion(t *testing.T) {
	p := params(t, "completion", "{workload: bulk, within: 10ms}")
	is(t, "in time", p.Judge(evidence()), expect.Pass)
	e := evidence()
	e.Run.Workloads[0].Finished = 11 * ms
	is(t, "late", p.Judge(e), expect.Fail)
	e.Run.Workloads[0].Finished = vtime.Never
	is(t, "never", p.Judge(e), expect.Fail)
	e = evidence()
	e.Run.Workloads[0].Statuses[12] = 1
	is(t, "one failed", p.Judge(e), expect.Fail)
	is(t, "one may fail", params(t, "completion", "{workload: bulk, failures: 1}").Judge(e), expect.Pass)
	e = evidence()
	e.Run.Workloads[0].GivenUp = 1
	is(t, "one could not be posted", p.Judge(e), expect.Fail)
}

func TestRetransmits(t *testing.T) {
	e := evidence()
	e.Run.Workloads[0].Retransmits = 20
	for text, want := range map[string]expect.Outcome{
		"{workload: bulk, atMost: 2%}":          expect.Pass,
		"{workload: bulk, atMost: 1.9%}":        expect.Fail,
		"{workload: bulk, atMost: 20}":          expect.Pass,
		"{workload: bulk, atMost: 0}":           expect.Fail,
		"{workload: bulk, between: [1, 20]}":    expect.Pass,
		"{workload: bulk, between: [21, 30]}":   expect.Fail,
		"{workload: bulk, between: [1%, 2%]}":   expect.Pass,
		"{workload: bulk, between: [2.1%, 5%]}": expect.Fail,
	} {
		is(t, text, params(t, "retransmits", text).Judge(e), want)
	}
	e.Run.Workloads[0].Packets = 0
	is(t, "nothing sent", params(t, "retransmits", "{workload: bulk, atMost: 0}").Judge(e), expect.Inconclusive)
}

func TestPathUse(t *testing.T) {
	e := evidence()
	p := params(t, "pathUse", "{workload: bulk, maxOverMean: 1.5}")
	is(t, "even", p.Judge(e), expect.Pass)
	e.Run.Workloads[0].Paths[0].Packets, e.Run.Workloads[0].Paths[1].Packets = 450, 50
	is(t, "uneven", p.Judge(e), expect.Fail)
	e.Run.Workloads[0].Paths[0].Packets, e.Run.Workloads[0].Paths[1].Packets = 500, 0
	is(t, "one idle", p.Judge(e), expect.Fail)
	is(t, "one may be idle", params(t, "pathUse", "{workload: bulk, idle: 1}").Judge(e), expect.Pass)
	e.Run.Workloads[0].StrayPaths = 1
	is(t, "stray", p.Judge(e), expect.Fail)
}

func TestError(t *testing.T) {
	e := evidence()
	e.Run.Workloads[0].Statuses[12] = 2
	for text, want := range map[string]expect.Outcome{
		"{workload: bulk, status: RETRY_EXC_ERR}":                  expect.Pass,
		"{workload: bulk, status: IBV_WC_RETRY_EXC_ERR, count: 2}": expect.Pass,
		"{workload: bulk, status: RETRY_EXC_ERR, count: 1}":        expect.Fail,
		"{workload: bulk, status: WR_FLUSH_ERR}":                   expect.Fail,
		"{workload: bulk, status: WR_FLUSH_ERR, count: 0}":         expect.Pass,
	} {
		is(t, text, params(t, "error", text).Judge(e), want)
	}
}

func TestViolation(t *testing.T) {
	p := params(t, "violation", "{invariant: integrity, by: cut}")
	broken := func(name, fault string) oracle.Result {
		return oracle.Result{Name: name, Total: 1, Violations: []oracle.Violation{{What: "x", Fault: fault}}}
	}
	for name, c := range map[string]struct {
		invariants []oracle.Result
		want       expect.Outcome
	}{
		"the one":          {[]oracle.Result{broken("integrity", "other, cut")}, expect.Pass},
		"an occurrence":    {[]oracle.Result{broken("integrity", "cut#2")}, expect.Pass},
		"none":             {[]oracle.Result{{Name: "integrity"}}, expect.Fail},
		"without fault":    {[]oracle.Result{broken("integrity", "")}, expect.Fail},
		"by another":       {[]oracle.Result{broken("integrity", "other")}, expect.Fail},
		"and another too":  {[]oracle.Result{broken("integrity", "cut"), broken("ordering", "cut")}, expect.Fail},
		"only another one": {[]oracle.Result{broken("ordering", "cut")}, expect.Fail},
	} {
		e := evidence()
		e.Invariants = c.invariants
		is(t, name, p.Judge(e), c.want)
	}
}

func TestParametersThatMeanNothingAreRefused(t *testing.T) {
	for kind, texts := range map[string][]string{
		"goodput": {"{}", "{workload: bulk, atLeast: 80%}", "{workload: bulk, during: a, after: b, atLeast: 80%}", "{workload: bulk, during: a}"},
		"recovery": {"{}", "{workload: bulk, after: a}", "{workload: bulk, after: a, to: 0%, within: 1ms}", "{workload: bulk, after: a, to: 101%, within: 1ms}",
			"{workload: bulk, after: a, within: 1ms, samples: 0}", "{workload: bulk, after: a, within: 1ms, relapses: -1}"},
		"completion":  {"{}"},
		"retransmits": {"{}", "{workload: bulk}", "{workload: bulk, atMost: 1, between: [1, 2]}", "{workload: bulk, between: [1]}", "{workload: bulk, between: [2, 1]}", "{workload: bulk, between: [1%, 2]}"},
		"pathUse":     {"{}", "{workload: bulk, maxOverMean: 0.5}", "{workload: bulk, idle: -1}"},
		"error":       {"{}", "{workload: bulk, status: NO_SUCH}"},
		"violation":   {"{}", "{invariant: nothing, by: cut}", "{invariant: residue, by: cut}"},
	} {
		k, _ := expect.Lookup(kind)
		for _, text := range texts {
			p := k.New()
			if err := yaml.Unmarshal([]byte(text), p); err != nil {
				t.Errorf("%s %s: %v", kind, text, err)
				continue
			}
			if err := p.Validate(); err == nil {
				t.Errorf("%s %s: accepted", kind, text)
			}
		}
	}
}

func TestCatalogue(t *testing.T) {
	last := ""
	for _, k := range expect.Catalogue() {
		if k.Name <= last {
			t.Errorf("%s is not after %s", k.Name, last)
		}
		last = k.Name
		var entry map[string]any
		if err := yaml.Unmarshal([]byte(k.Example), &entry); err != nil || entry[k.Name] == nil {
			t.Errorf("%s: example %q: %v", k.Name, k.Example, err)
			continue
		}
		b, err := yaml.Marshal(entry[k.Name])
		if err != nil {
			t.Fatal(err)
		}
		p := params(t, k.Name, string(b))
		again, err := yaml.Marshal(p)
		if err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		q := k.New()
		if err := yaml.UnmarshalWithOptions(again, q, yaml.Strict()); err != nil {
			t.Errorf("%s does not read back %s: %v", k.Name, again, err)
			continue
		}
		third, err := yaml.Marshal(q)
		if err != nil || string(third) != string(again) {
			t.Errorf("%s: %s reads back as %s", k.Name, again, third)
		}
		if f := p.Judge(&expect.Evidence{Run: &expect.Measurement{}}); f.Outcome == expect.Pass {
			t.Errorf("%s passes without any evidence", k.Name)
		}
		if len(p.Refs().Workloads)+len(p.Refs().Faults) == 0 || k.Unit == "" || !strings.Contains(k.Says, " ") {
			t.Errorf("%s is not described", k.Name)
		}
	}
}

func TestTheWorseOutcomeWins(t *testing.T) {
	order := []expect.Outcome{"", expect.Error, expect.Residue, expect.Interrupted, expect.Fail, expect.Inconclusive, expect.Unsupported, expect.Pass}
	for i, a := range order {
		for j, b := range order {
			if got := expect.Worse(a, b); got != order[min(i, j)] {
				t.Errorf("worse of %q and %q is %q", a, b, got)
			}
		}
	}
	exits := []int{70, 70, 3, 130, 1, 2, 4, 0}
	for i, o := range order {
		if o.Exit() != exits[i] {
			t.Errorf("exit of %q is %d, want %d", o, o.Exit(), exits[i])
		}
	}
}
