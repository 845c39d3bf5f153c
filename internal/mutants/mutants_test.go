package mutants_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stellarlab/stellarlab/internal/mutants"
)

const root = "../.."

// load reads the tree's own mutants.
func load(t *testing.T) []mutants.Mutant {
	t.Helper()
	all, err := mutants.Load(os.DirFS("patches"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 4 {
		t.Fatalf("%d mutants, where at least the first four are needed", len(all))
	}
	return all
}

func TestEveryPatchStillApplies(t *testing.T) {
	for _, m := range load(t) {
		if _, err := m.Patched(root); err != nil {
			t.Error(err)
		}
	}
}

// TestSuitesCatchEveryMutant builds and runs the suites of every mutant. It shows first that each suite passes
// without one: a suite that always fails catches nothing.
func TestSuitesCatchEveryMutant(t *testing.T) {
	if testing.Short() {
		t.Skip("needs time: builds and runs the suites once per mutant")
	}
	sound := map[string]bool{}
	caught, all := 0, load(t)
	for i := range all {
		m := &all[i]
		t.Run(m.Name, func(t *testing.T) {
			if key := m.Suite + " " + m.Focus; !sound[key] {
				if v := run(t, m.Suite, m.Focus, nil); v.Caught {
					t.Fatalf("%s fails without any mutant:\n%s", m.Suite, tail(v.Output))
				}
				sound[key] = true
			}
			v := run(t, m.Suite, m.Focus, m)
			if !v.Caught {
				t.Fatalf("%s passes with mutant %s: %s", m.Suite, m.Name, m.Why)
			}
			caught++
			t.Logf("caught by %s", strings.Join(failures(v.Output), "; "))
		})
	}
	t.Logf("caught %d of %d mutants", caught, len(all))
}

func run(t *testing.T, suite, focus string, m *mutants.Mutant) mutants.Verdict {
	t.Helper()
	ctx := t.Context()
	if end, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	binary, err := mutants.Build(ctx, root, suite, t.TempDir(), m)
	if err != nil {
		t.Fatal(err)
	}
	v, err := mutants.Run(ctx, root, suite, binary, focus)
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(v.Output))
	}
	return v
}

// failures are the summary lines of the specs that failed.
func failures(out string) (names []string) {
	for line := range strings.Lines(out) {
		if s := strings.TrimSpace(line); strings.HasPrefix(s, "[FAIL]") {
			names = append(names, strings.TrimPrefix(s, "[FAIL] "))
		}
	}
	return names
}

func tail(s string) string { return s[max(0, len(s)-4000):] }

func TestAPatchThatAppliesTwiceOrNeverIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("one two two\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for old, want := range map[string]bool{"one": true, "two": false, "three": false} {
		m := mutants.Mutant{Name: "m", Edits: []mutants.Edit{{File: "a.go", Old: old, New: "x"}}}
		got, err := m.Patched(dir)
		if ok := err == nil; ok != want {
			t.Errorf("%q: applies = %v, want %v", old, ok, want)
		}
		if err == nil && got["a.go"] != "x two two\n" {
			t.Errorf("%q: %q", old, got["a.go"])
		}
		if err != nil && !errors.Is(err, mutants.ErrStale) {
			t.Errorf("%q: %v is not ErrStale", old, err)
		}
	}
	m := mutants.Mutant{Name: "m", Edits: []mutants.Edit{{File: "gone.go", Old: "x", New: "y"}}}
	if _, err := m.Patched(dir); !errors.Is(err, mutants.ErrStale) {
		t.Errorf("a file that is gone: %v is not ErrStale", err)
	}
}

func TestLoadRefusesWhatProvesNothing(t *testing.T) {
	const good = "name: m\nwhy: w\nsuite: ./s\nedits: [{file: a.go, old: x, new: y}]\n"
	for name, text := range map[string]string{
		"unknown field":   good + "extra: 1\n",
		"no suite":        "name: m\nwhy: w\nedits: [{file: a.go, old: x, new: y}]\n",
		"no edits":        "name: m\nwhy: w\nsuite: ./s\n",
		"changes nothing": "name: m\nwhy: w\nsuite: ./s\nedits: [{file: a.go, old: x, new: x}]\n",
		"wrong name":      strings.Replace(good, "name: m", "name: other", 1),
	} {
		if _, err := mutants.Load(fstest.MapFS{"m.yaml": {Data: []byte(text)}}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if got, err := mutants.Load(fstest.MapFS{"m.yaml": {Data: []byte(good)}}); err != nil || len(got) != 1 {
		t.Errorf("a good one: %v, %v", got, err)
	}
}
