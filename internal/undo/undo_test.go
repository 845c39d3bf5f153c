//go:build linux

package undo_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/internal/undo"
)

// child makes this binary record a number of acts and then kill itself.
const child = "STELLARLAB_UNDO_CHILD"

func TestMain(m *testing.M) {
	if v := os.Getenv(child); v != "" {
		dir, count, _ := strings.Cut(v, "|")
		n, err := strconv.Atoi(count)
		if err != nil {
			panic(err)
		}
		if err := die(dir, n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func die(dir string, n int) error {
	l, err := undo.Open(dir, "run")
	if err != nil {
		return err
	}
	for i := range n {
		if _, err := l.Record("op", name(i), nil); err != nil {
			return err
		}
	}
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := p.Kill(); err != nil {
		return err
	}
	select {}
}

func name(i int) string { return fmt.Sprintf("thing%d", i) }

// recorder is a performer that notes what it was asked to undo.
func recorder(seen *[]string) map[string]undo.Performer {
	return map[string]undo.Performer{"op": func(_ undo.Header, r undo.Record) error {
		*seen = append(*seen, r.Identity)
		return nil
	}}
}

func TestKilledAfterEveryRecord(t *testing.T) {
	for n := range 6 {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), child+"="+dir+"|"+strconv.Itoa(n))
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != -1 {
			t.Fatalf("child ended with %v, want killed: %s", err, out)
		}
		var want, got []string
		for i := n - 1; i >= 0; i-- {
			want = append(want, name(i))
		}
		r, err := undo.Replay(dir, recorder(&got), false)
		if err != nil || r.Failed() != 0 {
			t.Fatalf("replay: %v, %+v", err, r)
		}
		if !slices.Equal(got, want) {
			t.Errorf("killed after %d records: undone %v, want %v", n, got, want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("killed after %d records: %v is left in the state directory, error %v", n, left, err)
		}
	}
}

// logged returns the bytes of a log of three acts, the second of which has been undone.
func logged(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	l, err := undo.Open(dir, "run")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := l.Record("op", name(i), map[string]int{"n": i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Done(2); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "run.undo"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return b
}

// replay replays a log of the given bytes.
func replay(t *testing.T, b []byte, perform map[string]undo.Performer, dry bool) (*undo.Report, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "run.undo"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := undo.Replay(dir, perform, dry)
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func TestTruncatedAtEveryByte(t *testing.T) {
	b := logged(t)
	for n := range len(b) + 1 {
		var got, want []string
		lines := bytes.Count(b[:n], []byte("\n"))
		for i := min(lines-1, 3) - 1; i >= 0; i-- {
			if i != 1 || lines < 5 {
				want = append(want, name(i))
			}
		}
		if replay(t, b[:n], recorder(&got), false); !slices.Equal(got, want) {
			t.Errorf("cut at byte %d: undone %v, want %v", n, got, want)
		}
	}
}

func TestDamagedAtEveryByte(t *testing.T) {
	b := logged(t)
	for n := range b {
		damaged := bytes.Clone(b)
		damaged[n] ^= 1
		hit := bytes.Count(b[:n], []byte("\n")) - 1 // the act whose line was hit
		var got []string
		replay(t, damaged, recorder(&got), false)
		for i := range 3 {
			lost := hit == i || b[n] == '\n' && hit == i-1 // without its newline a line runs into the next
			if i != 1 && !lost && !slices.Contains(got, name(i)) {
				t.Errorf("byte %d damaged: %s was left alone, undone %v", n, name(i), got)
			}
		}
	}
}

func TestMarkOfALostRecordUndoesNothing(t *testing.T) {
	b := logged(t)
	third := bytes.Index(b, []byte("thing2"))
	b[third] ^= 1
	var got []string
	r, dir := replay(t, b, recorder(&got), false)
	if want := []string{name(1), name(0)}; !slices.Equal(got, want) {
		t.Errorf("undone %v, want %v: what was marked may have been replaced by what cannot be read", got, want)
	}
	if len(r.Notes) != 1 {
		t.Errorf("notes %q: want the damage to be named", r.Notes)
	}
	if _, err := os.Stat(filepath.Join(dir, "run.undo.damaged")); err != nil {
		t.Errorf("the damaged log was not kept: %v", err)
	}
}

func TestLivingRunIsNotTouched(t *testing.T) {
	dir := t.TempDir()
	l, err := undo.Open(dir, "alive")
	if err != nil {
		t.Fatal(err)
	}
	id, err := l.Record("op", "mine", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "dead.undo"), logged(t), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	r, err := undo.Replay(dir, recorder(&got), false)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(got, "mine") || len(got) != 2 || !slices.Equal(r.Living, []string{"alive"}) {
		t.Errorf("undone %v, living %v: want only what the dead run left", got, r.Living)
	}
	if _, err := undo.Open(dir, "alive"); !errors.Is(err, os.ErrExist) {
		t.Errorf("second log of one run: %v, want %v", err, os.ErrExist)
	}
	if err := errors.Join(l.Done(id), l.Done(id), l.Close()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left %v, error %v", left, err)
	}
}

func TestOutcomes(t *testing.T) {
	b := logged(t)
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		err  error
		dry  bool
		want undo.Outcome
		kept bool
	}{
		{"undone", nil, false, undo.Undone, false},
		{"gone", fmt.Errorf("wrapped: %w", undo.ErrGone), false, undo.Gone, false},
		{"failed", boom, false, undo.Failed, true},
		{"dry", boom, true, undo.Pending, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, dir := replay(t, b, map[string]undo.Performer{"op": func(undo.Header, undo.Record) error { return c.err }}, c.dry)
			for _, i := range r.Items {
				if i.Outcome != c.want {
					t.Errorf("%s: %s, want %s", i.Identity, i.Outcome, c.want)
				}
			}
			_, err := os.Stat(filepath.Join(dir, "run.undo"))
			if kept := err == nil; kept != c.kept || len(r.Items) != 2 {
				t.Errorf("log kept %v, want %v; %d items, want 2", kept, c.kept, len(r.Items))
			}
		})
	}
	t.Run("unknown", func(t *testing.T) {
		if r, _ := replay(t, b, nil, false); r.Failed() != 2 {
			t.Errorf("%d failed, want 2", r.Failed())
		}
	})
}

func TestFileIsPrivate(t *testing.T) {
	dir := t.TempDir()
	l, err := undo.Open(dir, "run")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // nothing was recorded
	info, err := os.Stat(filepath.Join(dir, "run.undo"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v: want 0600", info.Mode(), err)
	}
}
