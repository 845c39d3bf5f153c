package main_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	main "github.com/stellarlab/stellarlab/tools/stellarlab"
)

// struck is the small scenario with a fault to be spoiled.
const struck = small + `  faults:
  - name: cut
    at: 1ms
    for: 2ms
    link.down: {link: host0-path0}
`

// What is wrong is named with file, line, field and what would have been right, and nothing is made.
func TestEveryBadFileIsNamedByEveryVerb(t *testing.T) {
	for name, c := range map[string]struct{ old, with, want string }{
		"unknown field":     {"limit: 20ms", "limt: 20ms", ":6: spec.limt: unknown field: did you mean limit?"},
		"duplicate key":     {"limit: 20ms", "limit: 20ms\n  limit: 20ms", ":7: spec.limit: given twice: first in line 6"},
		"missing unit":      {"size: 64KiB", "size: 64", ":11: spec.workloads[0].write.size: "},
		"unknown kind":      {"link.down:", "link.dwn:", ":18: spec.faults[0].link.dwn: unknown field: did you mean link.down?"},
		"no such target":    {"host0-path0", "host0-path9", `:18: spec.faults[0].link.down.link: no link is called "host0-path9": want a name such as`},
		"no duration":       {"    for: 2ms\n", "", ":15: spec.faults[0]: no for: a fault lasts some time"},
		"negative size":     {"size: 64KiB", "size: -64KiB", ":11: spec.workloads[0].write.size: "},
		"absurd size":       {"size: 64KiB", "size: 64PiB", ":11: spec.workloads[0].write"},
		"two kinds":         {"link.down: {link: host0-path0}", "link.down: {link: host0-path0}\n    link.loss: {link: host0-path0, p: 1%}", ":19: spec.faults[0].link.loss: a second kind beside link.down"},
		"strikes too late":  {"at: 1ms", "at: 20ms", ":15: spec.faults[0].at: 20ms is when it last strikes"},
		"negative duration": {"at: 1ms", "at: -1ms", ":16: spec.faults[0].at: "},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(struck, c.old) {
				t.Fatalf("the scenario has no %q", c.old)
			}
			path := file(t, strings.Replace(struck, c.old, c.with, 1))
			refused(t, path, path+c.want)
		})
	}
}

func TestWhatIsNoScenarioIsRefused(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge.yaml")
	if err := os.WriteFile(huge, []byte("a: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 100<<20); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		file(t, ""):                           "empty: want a YAML document",
		file(t, "spec: [\n"):                  "not YAML",
		file(t, "\x7fELF\x02\x01\x01\xff\n"):  "not YAML",
		huge:                                  "larger than 1 MiB",
		dir:                                   "is a directory",
		filepath.Join(dir, "not", "there.ya"): "no such file",
	} {
		refused(t, path, path, want)
	}
}

// refused runs every verb that takes a file: each exits 64, says all of want, and makes nothing.
func refused(t *testing.T, path string, want ...string) {
	t.Helper()
	top := t.TempDir()
	out, state := filepath.Join(top, "out"), filepath.Join(top, "state")
	for _, args := range [][]string{{"validate", path}, {"plan", path}, {"run", path, "--out", out}} {
		var stdout, stderr strings.Builder
		exit := main.Execute(append(args, "--state-dir", state), &stdout, &stderr)
		if exit != 64 {
			t.Errorf("%s: exit %d, want 64", args[0], exit)
		}
		for _, w := range want {
			if !strings.Contains(stderr.String(), w) {
				t.Errorf("%s: %q is not in\n%s", args[0], w, stderr.String())
			}
		}
		if stdout.Len() > 0 {
			t.Errorf("%s prints %q", args[0], stdout.String())
		}
	}
	if made, err := os.ReadDir(top); err != nil || len(made) > 0 {
		t.Errorf("something was made: %v, %v", made, err)
	}
}

func TestOutThatCannotBeWrittenIsBadInput(t *testing.T) {
	good := file(t, small)
	for _, out := range []string{good, filepath.Join(good, "below"), "/proc/none"} {
		stdout, stderr, exit := here(t, "run", good, "--out", out)
		if exit != 64 || !strings.Contains(stderr, "--out "+out+": run directories cannot be made there") {
			t.Errorf("%s: exit %d, want 64\n%s%s", out, exit, stdout, stderr)
		}
	}
}

// A path is taken as it is given, and what a scenario refers to lies beside it.
func TestFilesAreFoundBesideTheScenario(t *testing.T) {
	dir := t.TempDir()
	text := strings.Replace(small, "write: {from: host0, to: host1, size: 64KiB, count: 4}", "flows: {file: two.cm}", 1)
	path := filepath.Join(dir, "small.yaml")
	if err := errors.Join(
		os.WriteFile(path, []byte(text), 0o600),
		os.WriteFile(filepath.Join(dir, "two.cm"), []byte("Nodes 2\nConnections 2\n0->1 size 1000\n1->0 size 1000\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(dir))
	for _, p := range []string{path, filepath.Join(filepath.Base(dir), "small.yaml")} {
		if _, stderr, exit := here(t, "run", p, "--out", t.TempDir()); exit != 0 {
			t.Errorf("%s: exit %d\n%s", p, exit, stderr)
		}
	}
	if err := os.Remove(filepath.Join(dir, "two.cm")); err != nil {
		t.Fatal(err)
	}
	refused(t, path, ":11: spec.workloads[0].flows: file: ", "two.cm: no such file")
}

// Names of 100 problems come at once and soon: nobody waits for a validation.
func TestManyProblemsAreAllNamed(t *testing.T) {
	var list strings.Builder
	for range 100 {
		list.WriteString("  - {name: f, at: 1, for: 1, link.down: {link: x}}\n")
	}

	_, stderr, exit := here(t, "validate", file(t, small+"  faults:\n"+list.String()))
	if exit != 64 || strings.Count(stderr, "want a duration") < 200 {
		t.Errorf("exit %d\n%.2000s", exit, stderr)
	}
}
