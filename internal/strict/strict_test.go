package strict_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stellarlab/stellarlab/internal/strict"
)

// spy records how a test would have ended.
type spy struct{ how string }

func (s *spy) Helper() {}

func (s *spy) Skipf(f string, a ...any) { s.how += "skip " + fmt.Sprintf(f, a...) }

// Fatalf ends a real test; here the first end counts.
func (s *spy) Fatalf(string, ...any) { s.how += "fail " }

func TestASkipOfAPromisedAbilityIsAFailure(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".ci"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".ci", "abilities"), []byte("# what CI has\nroot\n tcx # eBPF\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "a", "b"))
	gone := errors.New("not here")
	for _, c := range []struct {
		strict, ability string
		missing         error
		want            string
	}{
		{"1", "root", nil, ""},
		{"1", "root", gone, "fail "},
		{"1", "tcx", gone, "fail "},
		{"1", "netem", gone, "skip needs netem: not here"},
		{"", "root", gone, "skip needs root: not here"},
	} {
		t.Setenv("STRICT", c.strict)
		var s spy
		strict.Need(&s, c.ability, c.missing)
		if len(s.how) < len(c.want) || s.how[:len(c.want)] != c.want || c.want == "" && s.how != "" {
			t.Errorf("STRICT=%s, %s, %v: %q, want %q", c.strict, c.ability, c.missing, s.how, c.want)
		}
	}
}
