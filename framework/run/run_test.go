package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/framework/run"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

func TestOutcomes(t *testing.T) {
	type edit func(*scenario.Resolved)
	none := func(*scenario.Resolved) {}
	for name, c := range map[string]struct {
		fake    fake
		edit    edit
		outcome expect.Outcome
		reason  string
	}{
		"all is well":            {fake{}, none, expect.Pass, ""},
		"wrong bytes":            {fake{bad: 1}, none, expect.Fail, "integrity"},
		"bytes elsewhere":        {fake{leak: true}, none, expect.Fail, "isolation"},
		"vanished packets":       {fake{kernel: 1}, none, expect.Fail, "ledger"},
		"no recovery":            {fake{slowed: true}, none, expect.Fail, "recovery"},
		"a fault without effect": {fake{idle: true}, none, expect.Inconclusive, "fault hole (link.blackhole) is unmeasured"},
		"an optional one":        {fake{idle: true}, func(r *scenario.Resolved) { r.Plan.Faults[0].Optional = true }, expect.Pass, ""},
		"a fault that stays":     {fake{stuck: true}, none, expect.Residue, "could not be undone"},
		"a fault after the end":  {fake{}, func(r *scenario.Resolved) { r.Plan.Faults[0].At *= 6 }, expect.Inconclusive, ""},
		"something left":         {fake{closeError: errors.Join(errors.New("link stla"), errors.New("link stlb"))}, none, expect.Residue, "link stla"},
		"a defect":               {fake{panics: true}, none, expect.Error, "the lab has a defect"},
		"a lab not in the build": {fake{}, func(r *scenario.Resolved) { r.Lab = "cluster" }, expect.Unsupported, "cluster"},
		"nothing posted":         {fake{}, func(r *scenario.Resolved) { r.Flows[0].For = 0; r.Expected = nil; r.Plan.Faults = nil }, expect.Inconclusive, "posted"},
	} {
		r := resolved(t)
		c.edit(r)
		v, err := run.Run(t.Context(), r, run.Options{Labs: labs(c.fake)})
		if v.Outcome != c.outcome || !strings.Contains(v.Reason, c.reason) {
			t.Errorf("%s: %s because %q (%v), want %s because %q", name, v.Outcome, v.Reason, err, c.outcome, c.reason)
		}
		if (v.Reason == "") != (v.Outcome == expect.Pass) {
			t.Errorf("%s: %s with reason %q", name, v.Outcome, v.Reason)
		}
	}
}

func TestATeardownFailureDoesNotChangeTheJudgement(t *testing.T) {
	r := resolved(t)
	r.Expected = nil // no twin, which would leave the same
	v, err := run.Run(t.Context(), r, run.Options{Labs: labs(fake{closeError: errors.New("link stla")})})
	if v.Judgement != expect.Pass || v.Outcome != expect.Residue || len(v.Residue) != 1 || err == nil {
		t.Errorf("judgement %s, outcome %s, residue %v, error %v", v.Judgement, v.Outcome, v.Residue, err)
	}
}

func TestALabThisMachineCannotBuildIsUnsupported(t *testing.T) {
	v, err := run.Run(t.Context(), resolved(t), run.Options{Labs: map[string]run.Build{
		"sim": func(context.Context, framework.Spec) (framework.System, error) {
			return nil, fmt.Errorf("needs root: %w", errors.ErrUnsupported)
		},
	}})
	if v.Outcome != expect.Unsupported || v.Outcome.Exit() != 4 || err == nil {
		t.Errorf("%s, %v", v.Outcome, err)
	}
}

func TestAnInterruptIsRolledBack(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	closed := 0
	v, _ := run.Run(ctx, resolved(t), run.Options{Labs: labs(fake{stop: cancel, closed: &closed})})
	if v.Outcome != expect.Interrupted || closed != 2 { // the twin's lab and the run's
		t.Errorf("%s, %d labs closed", v.Outcome, closed)
	}
}

func TestADefectStillTearsTheLabDown(t *testing.T) {
	closed := 0
	r := resolved(t)
	r.Expected = nil // no twin
	v, err := run.Run(t.Context(), r, run.Options{Labs: labs(fake{panics: true, closed: &closed})})
	if v.Outcome.Exit() != 70 || closed != 1 || err == nil {
		t.Errorf("%s, %d labs closed, %v", v.Outcome, closed, err)
	}
}

func TestTheRunDirectoryHoldsWhatWasAskedRunAndFound(t *testing.T) {
	o := run.Options{Labs: labs(fake{}), Out: t.TempDir()}
	r := resolved(t)
	v, err := run.Run(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	dir := o.Directory(v)
	for _, name := range []string{"scenario.yaml", "plan.yaml", "verdict.json", "journal.bin", "junit.xml", "environment.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "scenario.yaml")); err != nil || string(text) != asked {
		t.Errorf("scenario.yaml is not what was asked: %v", err)
	}
	names, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(names) > 0 {
		t.Errorf("left beside them: %v %v", names, err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "verdict.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got report.Verdict
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	switch {
	case got.Schema != "stellarlab.dev/verdict/v1", got.Outcome != expect.Pass, got.Judgement != expect.Pass, got.Seed != 7:
		t.Errorf("%+v", got)
	case len(got.Faults) != 1 || got.Faults[0].Confirmation != "confirmed" || *got.Faults[0].Achieved.At != 1_000_000 || got.Faults[0].Effect == nil:
		t.Errorf("faults %+v", got.Faults)
	case len(got.Invariants) != 8:
		t.Errorf("%d invariants, want 8", len(got.Invariants))
	case len(got.Workloads) != 1 || got.Workloads[0].Goodput == nil || got.Workloads[0].Latency == nil || got.Workloads[0].Operations != 500:
		t.Errorf("workloads %+v", got.Workloads)
	case got.Baseline == nil || got.Journal.Events == 0 || got.Journal.Digest == "":
		t.Errorf("baseline %v, journal %+v", got.Baseline, got.Journal)
	}
	for _, i := range got.Invariants {
		if i.Checked == 0 {
			t.Errorf("%s has checked nothing", i.Name)
		}
	}
}

func TestTheJudgementIsOnDiskBeforeTeardown(t *testing.T) {
	o := run.Options{Out: t.TempDir()}
	var before report.Verdict
	o.Labs = map[string]run.Build{"sim": func(_ context.Context, s framework.Spec) (framework.System, error) {
		return &watching{fake{spec: s}, func() {
			names, err := filepath.Glob(filepath.Join(o.Out, "*", "verdict.json"))
			if err != nil || len(names) != 1 {
				return // the twin's
			}
			b, err := os.ReadFile(names[0])
			if err == nil {
				err = json.Unmarshal(b, &before)
			}
			if err != nil {
				t.Error(err)
			}
		}}, nil
	}}
	if _, err := run.Run(t.Context(), resolved(t), o); err != nil {
		t.Fatal(err)
	}
	if before.Judgement != expect.Pass || before.Outcome != "" || before.Teardown != nil {
		t.Errorf("before teardown: judgement %q, outcome %q, teardown %v", before.Judgement, before.Outcome, before.Teardown)
	}
}

// watching looks at the world when it is torn down.
type watching struct {
	fake
	look func()
}

func (w *watching) Close() error {
	w.look()
	return w.fake.Close()
}
