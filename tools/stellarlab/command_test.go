package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var binary string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "stellarlab")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system's temporary directory
	binary = filepath.Join(dir, "stellarlab")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil { //nolint:gosec // our own
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// stellarlab runs the command and returns its streams and exit code.
func stellarlab(t *testing.T, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	var out, errs bytes.Buffer
	c := exec.Command(binary, append(args, "--state-dir", t.TempDir())...) //nolint:gosec // our own
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var e *exec.ExitError
	if err != nil && !errors.As(err, &e) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// document reads the one JSON document that standard output must hold.
func document(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		t.Errorf("more than one document: %q", text)
	}
	return v
}

const small = `apiVersion: stellarlab.dev/v1alpha1
kind: Scenario
metadata: {name: small}
spec:
  seed: 1
  limit: 20ms
  topology:
    pair: {paths: 2}
  workloads:
  - name: bulk
    write: {from: host0, to: host1, size: 64KiB, count: 4}
  expect:
  - completion: {workload: bulk, within: 10ms}
`

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBadInputExits64AndTouchesNothing(t *testing.T) {
	good, bad := file(t, small), file(t, strings.Replace(small, "limit: 20ms", "limit: 20", 1))
	out := filepath.Join(t.TempDir(), "out")
	for name, c := range map[string]struct {
		args []string
		want string // on standard error
	}{
		"unknown verb":       {[]string{"rum"}, "unknown command"},
		"unknown flag":       {[]string{"run", good, "--sed", "1"}, "unknown flag"},
		"no file":            {[]string{"run"}, "no scenario file"},
		"missing file":       {[]string{"run", "missing.yaml", "--out", out}, "no such file"},
		"bad file":           {[]string{"run", bad, "--out", out}, ":6: spec.limit: "},
		"bad beside good":    {[]string{"run", good, bad, "--out", out}, ":6: spec.limit: "},
		"validate":           {[]string{"validate", bad}, ":6: spec.limit: "},
		"plan":               {[]string{"plan", bad}, ":6: spec.limit: "},
		"unknown lab":        {[]string{"run", good, "--lab", "cloud", "--out", out}, "cloud"},
		"bad set":            {[]string{"run", good, "--set", "device.pths=3", "--out", out}, "did you mean paths?"},
		"set without value":  {[]string{"run", good, "--set", "device.paths", "--out", out}, "device.paths"},
		"repeat nothing":     {[]string{"run", good, "--repeat", "0", "--out", out}, "--repeat 0"},
		"negative seed":      {[]string{"run", good, "--seed", "-1", "--out", out}, "seed"},
		"unknown fault kind": {[]string{"faults", "link.lost"}, "link.loss"},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, exit := stellarlab(t, c.args...)
			if exit != 64 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d, want 64 and %q:\n%s", exit, c.want, stderr)
			}
			if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
				t.Error("it made the output directory")
			}
		})
	}
}

func TestJSONIsOneDocument(t *testing.T) {
	good, bad := file(t, small), file(t, strings.Replace(small, "limit: 20ms", "limit: 20", 1))
	for _, args := range [][]string{
		{"faults"}, {"faults", "link.loss"}, {"workloads"}, {"topologies"}, {"policies"}, {"expectations"}, {"events"},
		{"version"}, {"validate", good}, {"validate", bad}, {"plan", good}, {"plan", bad}, {"faults", "none"},
		{"gc", "--dry-run"}, {"run", good, "--out", t.TempDir()},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			stdout, _, _ := stellarlab(t, append(args, "--json")...)
			document(t, stdout)
		})
	}
}

func TestRunPassesAndLeavesItsDirectory(t *testing.T) {
	out := t.TempDir()
	stdout, stderr, exit := stellarlab(t, "run", file(t, small), "--out", out, "--json")
	if exit != 0 {
		t.Fatalf("exit %d\n%s%s", exit, stdout, stderr)
	}
	if v, _ := document(t, stdout).(map[string]any); v["outcome"] != "pass" {
		t.Errorf("outcome %v", v["outcome"])
	}
	for _, name := range []string{"scenario.yaml", "plan.yaml", "verdict.json", "journal.bin", "junit.xml", "environment.json"} {
		if found, _ := filepath.Glob(filepath.Join(out, "*", name)); len(found) != 1 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func TestUnmetExpectationExits1(t *testing.T) {
	stdout, stderr, exit := stellarlab(t, "run", file(t, strings.Replace(small, "within: 10ms", "within: 1us", 1)), "--out", t.TempDir())
	if exit != 1 {
		t.Errorf("exit %d, want 1\n%s%s", exit, stdout, stderr)
	}
}

func TestEveryVerbHasAnExample(t *testing.T) {
	for _, verb := range []string{
		"doctor", "validate", "plan", "run", "gc", "report", "events", "version",
		"faults", "workloads", "topologies", "policies", "expectations",
	} {
		if stdout, _, exit := stellarlab(t, verb, "--help"); exit != 0 || !strings.Contains(stdout, "Examples:") {
			t.Errorf("%s: exit %d\n%s", verb, exit, stdout)
		}
	}
}
