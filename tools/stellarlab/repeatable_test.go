package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/framework/scenario"
)

// lossy has loss, a cut and a selector: whatever chance decides has to be decided alike.
const lossy = "../../suites/scenarios/overlapping.yaml"

func artefact(t *testing.T, out, name string) []byte {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(out, "*", name))
	if len(found) != 1 {
		t.Fatalf("%s in %s: %v", name, out, found)
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSamePlanGivesTheSameJournal(t *testing.T) {
	journal := func(processors int) ([]byte, []byte) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		out := t.TempDir()
		if stdout, stderr, exit := here(t, "run", lossy, "--lab", "sim", "--out", out); exit != 0 {
			t.Fatalf("exit %d\n%s%s", exit, stdout, stderr)
		}
		return artefact(t, out, "journal.bin"), artefact(t, out, "plan.yaml")
	}
	first, plan := journal(1)
	if len(first) < 1000 || !bytes.Contains(plan, []byte("link.loss")) {
		t.Fatalf("a journal of %d bytes of a plan without loss shows little", len(first))
	}
	for _, processors := range []int{1, 2} {
		if again, same := journal(processors); !bytes.Equal(again, first) || !bytes.Equal(same, plan) {
			t.Errorf("with %d processors it differs", processors)
		}
	}
}

func TestAnotherSeedGivesAnotherJournal(t *testing.T) {
	run := func(seed string) []byte {
		out := t.TempDir()
		here(t, "run", lossy, "--lab", "sim", "--seed", seed, "--out", out)
		return artefact(t, out, "journal.bin")
	}
	if bytes.Equal(run("1"), run("2")) {
		t.Error("the seed decides nothing")
	}
}

func TestPlanOfARunLoadsBackEqual(t *testing.T) {
	out := t.TempDir()
	path := file(t, small+late)
	here(t, "run", path, "--out", out)
	b := artefact(t, out, "plan.yaml")
	r, err := scenario.DecodePlan(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.EncodePlan()
	if err != nil || !bytes.Equal(again, b) {
		t.Errorf("%v: it loads back as\n%s\nnot\n%s", err, again, b)
	}
	if asked := artefact(t, out, "scenario.yaml"); string(asked) != small+late {
		t.Errorf("scenario.yaml is not the file that was given:\n%s", asked)
	}
	if printed, _, _ := here(t, "plan", path, "--yaml"); printed != string(b) {
		t.Errorf("plan --yaml prints another plan:\n%s", printed)
	}
}

func TestPlanNamesTargetsAndOverlaps(t *testing.T) {
	stdout, stderr, exit := here(t, "plan", lossy)
	if exit != 0 || !strings.Contains(stdout, "overlaps, and what holds while they last") || !strings.Contains(stdout, "link.loss") {
		t.Errorf("exit %d\n%s%s", exit, stdout, stderr)
	}
	text, _, _ := here(t, "plan", lossy, "--json")
	v, _ := document(t, text).(map[string]any)
	if faults, _ := v["faults"].([]any); len(faults) < 2 {
		t.Errorf("faults: %v", v["faults"])
	}
	if overlaps, _ := v["overlaps"].([]any); len(overlaps) == 0 {
		t.Errorf("overlaps: %v", v["overlaps"])
	}
}

// A seed that nobody gave is drawn, and said, so that the run can be had again.
func TestDrawnSeedIsRecorded(t *testing.T) {
	out := t.TempDir()
	stdout, _, exit := here(t, "run", file(t, strings.Replace(small, "  seed: 1\n", "", 1)), "--out", out, "--json")
	v, _ := document(t, stdout).(map[string]any)
	if s, ok := v["seed"].(float64); exit != 0 || !ok || s == 0 || !bytes.Contains(artefact(t, out, "plan.yaml"), []byte("\nseed: ")) {
		t.Errorf("exit %d, seed %v", exit, v["seed"])
	}
}
