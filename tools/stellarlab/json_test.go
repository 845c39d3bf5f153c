package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ran runs the small scenario and returns the run's directory.
func ran(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	if _, stderr, exit := here(t, "run", file(t, small), "--out", out); exit != 0 {
		t.Fatalf("exit %d\n%s", exit, stderr)
	}
	found, _ := filepath.Glob(filepath.Join(out, "*"))
	if len(found) != 1 {
		t.Fatalf("run directories: %v", found)
	}
	return found[0]
}

func TestJSONIsOneDocumentOnEveryWayOut(t *testing.T) {
	good, bad, dir := file(t, small), file(t, strings.Replace(small, "limit: 20ms", "limit: 20", 1)), ran(t)
	for name, c := range map[string]struct {
		args []string
		exit int
	}{
		"repeat":                 {[]string{"run", good, "--repeat", "2", "--out", t.TempDir()}, 0},
		"several files":          {[]string{"run", good, good, "--out", t.TempDir()}, 0},
		"several, quiet":         {[]string{"run", good, good, "--quiet", "--out", t.TempDir()}, 0},
		"bad file":               {[]string{"run", bad, good}, 64},
		"bad flag first":         {[]string{"run", good, "--sed", "1"}, 64},
		"flag without value":     {[]string{"run", good, "--set"}, 64},
		"no verb of that name":   {[]string{"rum"}, 64},
		"later flag":             {[]string{"run", good, "--capture"}, 64},
		"plan as YAML":           {[]string{"plan", good, "--yaml"}, 64},
		"too many arguments":     {[]string{"plan", good, good}, 64},
		"report":                 {[]string{"report", dir}, 0},
		"report of two":          {[]string{"report", dir, dir}, 0},
		"report of none":         {[]string{"report", t.TempDir()}, 64},
		"report, one of two":     {[]string{"report", dir, t.TempDir()}, 64},
		"report in jsonl":        {[]string{"report", dir, "--format", "jsonl"}, 64},
		"doctor requires little": {[]string{"doctor", "--require", "none.such"}, 64},
		"doctor":                 {[]string{"doctor"}, 0},
		"validate several":       {[]string{"validate", good, bad, "missing.yaml"}, 64},
		"no policy":              {[]string{"policies", "x"}, 64},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, exit := here(t, append(c.args, "--json")...)
			if exit != c.exit {
				t.Errorf("exit %d, want %d\n%s", exit, c.exit, stderr)
			}
			document(t, stdout)
		})
	}
}

func TestReportRefusesWhatIsNoRunDirectory(t *testing.T) {
	whole := ran(t)
	with := func(name, text string) string {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"missing":         {[]string{filepath.Join(whole, "none")}, "is no run directory"},
		"empty":           {[]string{t.TempDir()}, "is no run directory"},
		"a file":          {[]string{filepath.Join(whole, "verdict.json")}, "is no run directory"},
		"cut short":       {[]string{with("verdict.json", `{"schema": "stell`)}, "verdict.json is damaged"},
		"foreign":         {[]string{with("verdict.json", `{"schema": "other/v1"}`)}, `schema "other/v1"`},
		"no object":       {[]string{with("verdict.json", `[]`)}, "verdict.json is damaged"},
		"journal foreign": {[]string{with("journal.bin", "no journal of ours"), "--format", "jsonl"}, "journal.bin"},
		"journal empty":   {[]string{with("journal.bin", ""), "--format", "jsonl"}, "journal.bin"},
		"unknown format":  {[]string{whole, "--format", "pdf"}, "--format pdf: want text"},
		"no directory":    {nil, "requires at least 1 arg"},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, exit := here(t, append([]string{"report"}, c.args...)...)
			if exit != 64 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d, want 64 and %q\n%s", exit, c.want, stderr)
			}
		})
	}
}

func TestReportRendersEveryFormat(t *testing.T) {
	dir := ran(t)
	for format, want := range map[string]string{
		"text": "small", "markdown": "small", "json": `"outcome": "pass"`, "junit": "<testsuite", "jsonl": `"kind":`,
	} {
		stdout, stderr, exit := here(t, "report", dir, "--format", format)
		if exit != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit %d, want 0 and %q\n%.300s%s", format, exit, want, stdout, stderr)
		}
	}
	lines, _, _ := here(t, "report", dir, "--format", "jsonl")
	for i, l := range strings.Split(strings.TrimSpace(lines), "\n") {
		if v, ok := document(t, l).(map[string]any); !ok || v["at"] == nil || v["kind"] == nil {
			t.Fatalf("line %d: %s", i+1, l)
		}
	}
}

// What is for people goes to standard output, what is on the way goes to standard error.
func TestQuietSaysNothingOnTheWay(t *testing.T) {
	stdout, stderr, exit := here(t, "run", file(t, small), "--quiet", "--out", t.TempDir())
	if exit != 0 || stderr != "" || !strings.Contains(stdout, "run directory: ") {
		t.Errorf("exit %d\n%s\n%s", exit, stdout, stderr)
	}
}
