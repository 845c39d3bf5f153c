//go:build linux

package undo_test

import (
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/internal/undo"
	"golang.org/x/sys/unix"
)

// A disk that is full at any byte of a record refuses the record, and what was recorded before is still undone.
// The limit holds for all that a process writes, so the test is one of its own.
func TestFullDiskRefusesTheRecordAndKeepsTheLog(t *testing.T) {
	if os.Getenv("STL_FULL_DISK") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), "STL_FULL_DISK=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: "+t.Name()) {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	signal.Ignore(unix.SIGXFSZ)
	t.Cleanup(func() { signal.Reset(unix.SIGXFSZ) })
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(restore)
	size := uint64(len(logged(t))) + 1
	refused := 0
	for limit := uint64(1); limit < size; limit += 7 {
		dir := t.TempDir()
		var want, got []string
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: old.Max}); err != nil {
			t.Fatal(err)
		}
		l, err := undo.Open(dir, "run")
		if err == nil {
			for i := range 3 {
				if _, err := l.Record("op", name(i), nil); err != nil {
					refused++
					break
				}
				want = append(want, name(i))
			}
		}
		restore()
		if err != nil {
			continue // not even the header had room: nothing may be done
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(want)
		r, err := undo.Replay(dir, recorder(&got), false)
		if err != nil || r.Failed() != 0 {
			t.Fatalf("limit %d: replay: %v, %+v", limit, err, r)
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: undone %v, want %v", limit, got, want)
		}
	}
	if refused == 0 {
		t.Error("no record was refused for want of room")
	}
}
