package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build builds the command once and returns what runs it over an input.
func build(t *testing.T) func(strict bool, in string) (out string, ok bool) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "testgate")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(strict bool, in string) (string, bool) {
		cmd := exec.CommandContext(t.Context(), bin)
		cmd.Stdin = strings.NewReader(in)
		cmd.Env = append(os.Environ(), "STRICT=")
		if strict {
			cmd.Env = append(os.Environ(), "STRICT=1")
		}
		var b bytes.Buffer
		cmd.Stdout, cmd.Stderr = &b, &b
		err := cmd.Run()
		return b.String(), err == nil
	}
}

const (
	passes = `{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
{"Action":"pass","Package":"p","Elapsed":0.1}
`
	skips = `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:9: needs root: not here\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
`
)

func TestGate(t *testing.T) {
	run := build(t)
	for name, c := range map[string]struct {
		in     string
		strict bool
		ok     bool
		want   string
	}{
		"all pass":           {passes, false, true, "1 passed, 0 failed, 0 skipped"},
		"nothing ran":        {"", false, false, "0 passed, 0 failed, 0 skipped"},
		"a test fails":       {passes + `{"Action":"output","Package":"p","Test":"TestC","Output":"why\n"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestC"}` + "\n", false, false, "1 passed, 1 failed, 0 skipped"},
		"a package crashes":  {passes + `{"Action":"fail","Package":"q"}` + "\n", false, false, "FAIL: q"},
		"does not build":     {passes + `{"Action":"build-fail","ImportPath":"q"}` + "\n", false, false, "q does not build"},
		"a skip":             {passes + skips, false, true, "skipped: p TestB: b_test.go:9: needs root: not here"},
		"a skip, strict":     {passes + skips, true, false, "although the ability is promised"},
		"another, strict":    {passes + strings.Replace(skips, "root", "netem", 1), true, true, "1 passed, 0 failed, 1 skipped"},
		"the command's word": {passes + "go: no such thing\n", false, true, "go: no such thing"},
	} {
		out, ok := run(c.strict, c.in)
		if ok != c.ok || !strings.Contains(out, c.want) {
			t.Errorf("%s: ok = %v, want %v with %q:\n%s", name, ok, c.ok, c.want, out)
		}
	}
}
