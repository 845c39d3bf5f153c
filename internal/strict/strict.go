// Package strict decides what a test does on a machine that lacks an ability: it skips and names the ability, or,
// where that ability is promised, it fails. It does not probe for abilities: who needs one knows how to.
package strict

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// T is the part of testing.T, and of Ginkgo's, that is needed here.
type T interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Need ends the test if missing is set: with a failure if STRICT=1 is in the environment and .ci/abilities lists
// the ability, with a skip otherwise. The message begins with "needs ABILITY: ", which testgate looks for.
func Need(t T, ability string, missing error) {
	t.Helper()
	if missing == nil {
		return
	}
	if os.Getenv("STRICT") == "1" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatalf("strict: %v", err)
		}
		promised, err := Promised(dir)
		if err != nil {
			t.Fatalf("strict: %v", err)
		}
		if slices.Contains(promised, ability) {
			t.Fatalf("needs %s: %v; .ci/abilities promises it, so with STRICT=1 this is a failure", ability, missing)
		}
	}
	t.Skipf("needs %s: %v", ability, missing)
}

// Promised returns the abilities in .ci/abilities of the module that dir lies in, one a line; # begins a comment.
func Promised(dir string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for {
		b, err := os.ReadFile(filepath.Join(dir, ".ci", "abilities"))
		if err == nil {
			return parse(b), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil, errors.New(".ci/abilities: in no directory above this one")
		}
		dir = up
	}
}

func parse(b []byte) (out []string) {
	s := bufio.NewScanner(bytes.NewReader(b))
	for s.Scan() {
		line, _, _ := strings.Cut(s.Text(), "#")
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
