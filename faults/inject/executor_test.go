package inject_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/faults/inject"
	"github.com/stellarlab/stellarlab/faults/plan"
	"github.com/stellarlab/stellarlab/internal/units"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

const at = vtime.Time(ms)

// TestConformance holds every kind of the catalogue to the same: it acts and leaves no trace, alone and over
// another of its kind that ends before or after it; one that does nothing is never confirmed.
func TestConformance(t *testing.T) {
	for _, k := range faults.Catalogue() {
		for _, second := range []units.Duration{2 * ms, 9 * ms} {
			l := newLab()
			u := &log{lab: l}
			e := executor(t, l.surfaces(), inject.Options{Undo: u}, fault("a", k.Name, ms, 5*ms), fault("b", k.Name, 2*ms, second))
			for now := vtime.Time(0); now != vtime.Never; now = e.Deadline() {
				e.Step(now)
				l.traffic(3000)
			}
			if !l.clean() || u.open != 0 {
				t.Errorf("%s: left behind: %v", k.Name, l.history)
			}
			if r := e.Results()[0]; r.Confirmation != faults.Confirmed || r.Residue || r.Err != nil || r.HealedAt != 6*at {
				t.Errorf("%s: %+v", k.Name, r)
			}
		}
		l := newLab()
		l.inert = true
		e := executor(t, l.surfaces(), inject.Options{}, fault("a", k.Name, ms, 5*ms))
		e.Step(at)
		l.traffic(3000)
		e.Close(2 * at)
		if r := e.Results()[0]; r.Confirmation == faults.Confirmed {
			t.Errorf("%s does nothing and is confirmed: %+v", k.Name, r)
		}
		if _, err := inject.New(&plan.Plan{Faults: []plan.Fault{fault("a", "link.down", 0, ms), fault("lonely", k.Name, 0, ms)}}, faults.Surfaces{}, inject.Options{}); err == nil || !strings.Contains(err.Error(), "lonely") || !strings.Contains(err.Error(), k.Needs) {
			t.Errorf("%s without a surface: %v", k.Name, err)
		}
		if k.Models == "" || k.Evidence == "" || k.Undo == "" || k.Composes == "" || k.Sim == "" || k.Netns == "" {
			t.Errorf("%s does not say what it is", k.Name)
		}
	}
}

// TestSamePlanSameEffect: the acts are a function of the plan.
func TestSamePlanSameEffect(t *testing.T) {
	run := func() []string {
		l := newLab()
		e := executor(t, l.surfaces(), inject.Options{}, fault("p", "page.evict", 0, 5*ms))
		for now := vtime.Time(0); now != vtime.Never; now = e.Deadline() {
			e.Step(now)
		}
		return l.history
	}
	a, b := run(), run()
	if !slices.Equal(a, b) || len(a) != 5 {
		t.Fatalf("%v\n%v: want five times the same, one per millisecond", a, b)
	}
}

// TestIntentIsRecordedFirst: record, act, undo, done; and nothing is done where the intent cannot be recorded.
func TestIntentIsRecordedFirst(t *testing.T) {
	l := newLab()
	e := executor(t, l.surfaces(), inject.Options{Undo: &log{lab: l}}, fault("a", "link.loss", 0, ms, 0, 1))
	e.Step(0)
	e.Step(at)
	e.Close(at)
	e.Close(at)
	want := []string{"record dir0", "lay 0", "record dir1", "lay 1", "remove 0", "done dir1", "remove 0", "done dir0"}
	if !slices.Equal(l.history, want) {
		t.Fatalf("%v, want %v", l.history, want)
	}
	l = newLab()
	e = executor(t, l.surfaces(), inject.Options{Undo: &log{lab: l, refuse: true}}, fault("a", "link.loss", 0, ms))
	e.Step(0)
	if r := e.Results()[0]; len(l.history) != 0 || r.Err == nil || r.Struck || r.Confirmation == faults.Confirmed {
		t.Fatalf("acted without a record: %v, %+v", l.history, r)
	}
}

// TestDefectsAreContained: what goes wrong in one fault is its result, and the others are undone all the same.
func TestDefectsAreContained(t *testing.T) {
	for fail, residue := range map[string]bool{"lay": false, "panic": true, "remove": true, "stuck": true, "counters": false} {
		l := newLab()
		e := executor(t, l.surfaces(), inject.Options{Undo: &log{lab: l}}, fault("a", "link.loss", 0, 5*ms, 0), fault("b", "link.loss", 0, 5*ms, 2))
		l.fail = fail
		e.Step(0)
		e.Close(at)
		r := e.Results()
		if r[0].Err == nil || r[0].Residue != residue || r[0].Confirmation == faults.Confirmed {
			t.Errorf("%s: %+v", fail, r[0])
		}
		if !l.stack(2).Empty() {
			t.Errorf("%s: the other fault still lies", fail)
		}
	}
}

// TestHealsBeforeItStrikes: two faults that touch do not overlap.
func TestHealsBeforeItStrikes(t *testing.T) {
	l := newLab()
	e := executor(t, l.surfaces(), inject.Options{}, fault("a", "link.down", 0, ms), fault("b", "link.down", ms, ms))
	e.Step(0)
	e.Step(at)
	if want := []string{"lay 0", "remove 0", "lay 0"}; !slices.Equal(l.history, want) {
		t.Fatalf("%v, want %v", l.history, want)
	}
}

// TestNeverStruckIsUnmeasured: the run ended before; and an idle target is unmeasured too.
func TestNeverStruckIsUnmeasured(t *testing.T) {
	e := executor(t, newLab().surfaces(), inject.Options{}, fault("idle", "link.blackhole", 0, ms), fault("late", "link.down", 9*ms, ms))
	e.Step(0)
	e.Close(at)
	for i, struck := range []bool{true, false} {
		if r := e.Results()[i]; r.Confirmation != faults.Unmeasured || r.Struck != struck || r.ShadowedBy != "" {
			t.Errorf("%+v", r)
		}
	}
}

// TestShadowIsNamed: the fault that hid another is named, and not one that only lay beside it.
func TestShadowIsNamed(t *testing.T) {
	l := newLab()
	e := executor(t, l.surfaces(), inject.Options{},
		fault("elsewhere", "link.down", 0, 5*ms, 4), fault("pages", "page.evict", 0, 5*ms),
		fault("over", "link.blackhole", 0, 5*ms, 0), fault("under", "link.blackhole", ms, ms, 0))
	e.Step(0)
	e.Step(at)
	l.traffic(10)
	e.Step(2 * at)
	e.Close(5 * at)
	if r := e.Results()[3]; r.Confirmation != faults.Unmeasured || r.ShadowedBy != "over" {
		t.Fatalf("%+v", r)
	}
}

// TestD01UndoOfWhatIsGone: taken away out of band, the removal is success; but it did not stand all its time, so it is not
// confirmed.
func TestD01UndoOfWhatIsGone(t *testing.T) {
	l := newLab()
	e := executor(t, l.surfaces(), inject.Options{}, fault("a", "link.down", 0, ms))
	e.Step(0)
	l.latest.stack.Remove(l.latest.laid)
	e.Close(at)
	if r := e.Results()[0]; r.Err != nil || r.Residue || r.Confirmation != faults.Refuted {
		t.Fatalf("%+v", r)
	}
}

// TestD05FalseSuccess: a removal that silently does nothing is found.
func TestD05FalseSuccess(t *testing.T) {
	l := newLab()
	e := executor(t, l.surfaces(), inject.Options{}, fault("a", "link.down", 0, ms))
	l.fail = "stuck"
	e.Step(0)
	e.Step(at)
	if r := e.Results()[0]; r.Err == nil || !r.Residue {
		t.Fatalf("%+v", r)
	}
}

// TestD09InvalidIsRefused: wrong parameters are refused before anything is touched.
func TestD09InvalidIsRefused(t *testing.T) {
	l := newLab()
	f := fault("bad", "link.loss", 0, ms)
	f.Params = &faults.LinkLoss{P: 1.5}
	_, err := inject.New(&plan.Plan{Faults: []plan.Fault{fault("a", "link.loss", 0, ms), f}}, l.surfaces(), inject.Options{})
	if err == nil || !strings.Contains(err.Error(), "bad") || len(l.history) != 0 {
		t.Fatalf("%v, %v", err, l.history)
	}
}

// TestD14SecondDoesNotCancelFirst: loss and corruption overlap; one goes, the other stays.
func TestD14SecondDoesNotCancelFirst(t *testing.T) {
	l := newLab()
	e := executor(t, l.surfaces(), inject.Options{}, fault("a", "link.loss", 0, 9*ms), fault("b", "link.corrupt", 0, ms))
	e.Step(0)
	l.traffic(3000)
	e.Step(at)
	before := e.Results()[1].Evidence["matched"]
	l.traffic(3000)
	e.Close(2 * at)
	r := e.Results()
	if before == 0 || r[1].Evidence["matched"] != before || r[0].Evidence["seen"] != 6000 || r[0].Confirmation != faults.Confirmed {
		t.Fatalf("%+v", r)
	}
}

// TestD15DurationFromEffect: injection takes 3 ms; the fault lasts its 5 ms all the same.
func TestD15DurationFromEffect(t *testing.T) {
	now := 3 * at
	e := executor(t, newLab().surfaces(), inject.Options{Clock: func() vtime.Time { return now }}, fault("slow", "link.down", 0, 5*ms))
	e.Step(0)
	if d := e.Deadline(); d != 8*at {
		t.Fatalf("due at %v", d)
	}
}

// TestD17ProbabilityZero: 0 never acts, 1 always.
func TestD17ProbabilityZero(t *testing.T) {
	for p, want := range map[units.Probability]uint64{0: 0, 1: 1000} {
		l := newLab()
		f := fault("a", "link.loss", 0, ms)
		f.Params = &faults.LinkLoss{P: p}
		e := executor(t, l.surfaces(), inject.Options{}, f)
		e.Step(0)
		l.traffic(1000)
		e.Close(at)
		r := e.Results()[0]
		if r.Evidence["matched"] != want || (r.Confirmation == faults.Confirmed) != (want > 0) || r.Confirmation == faults.Refuted {
			t.Errorf("p=%v: %+v", p, r)
		}
	}
}

// TestD22FinalHeal: the schedule ends while the link is cut; Close heals it.
func TestD22FinalHeal(t *testing.T) {
	l := newLab()
	e := executor(t, l.surfaces(), inject.Options{}, fault("a", "link.down", 0, 1000*ms))
	e.Step(0)
	e.Close(at)
	if r := e.Results()[0]; !l.clean() || r.HealedAt != at || r.Residue || e.Deadline() != vtime.Never {
		t.Fatalf("%+v", r)
	}
}
