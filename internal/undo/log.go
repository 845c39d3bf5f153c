//go:build linux

// Package undo is the write-ahead undo log: what a run is about to do to the kernel is on disk before it does it,
// as data, so that anybody can undo it after the run has died.
// It undoes nothing itself: performers, one per operation, do, and only for runs whose process is gone.
package undo

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Version is the format that this build writes and reads.
const Version = 1

const suffix = ".undo"

// ID names a record within its log.
type ID uint64

// Header is the first line of a log: whose it is.
type Header struct {
	Version int    `json:"version"`
	Run     string `json:"run"`
	Boot    string `json:"boot"` // boot id of the kernel
	PID     int    `json:"pid"`
}

// Record is one intended act.
type Record struct {
	ID       ID              `json:"id"`
	Op       string          `json:"op"`
	Identity string          `json:"identity"`
	Args     json.RawMessage `json:"args,omitempty"`
}

// line is one line of a log: a header, a record, or the id of a record that has been undone.
type line struct {
	Header *Header `json:"header,omitempty"`
	Record *Record `json:"record,omitempty"`
	Done   ID      `json:"done,omitempty"`
}

// Log is the log of a living run: its file is locked while the process lives. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	file *os.File
	path string
	next ID
	open map[ID]bool
	size int64 // up to the last whole line
}

// Open makes the log of a run in dir, which is made if need be. run must be a plain name. The header is on disk
// and the file is locked when it returns.
func Open(dir, run string) (*Log, error) {
	if run == "" || strings.ContainsAny(run, "/\x00") || strings.HasPrefix(run, ".") {
		return nil, fmt.Errorf("undo log: run %q: want a plain name", run)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("undo log: %w", err)
	}
	// Nobody may see the file before it is locked and has its header: it is made under another name.
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return nil, fmt.Errorf("undo log: %w", err)
	}
	l := &Log{file: f, path: filepath.Join(dir, run+suffix), next: 1, open: map[ID]bool{}}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		err = l.append(line{Header: &Header{Version: Version, Run: run, Boot: BootID(), PID: os.Getpid()}})
	}
	if err == nil {
		err = os.Link(f.Name(), l.path) // fails where the name is taken
	}
	err = errors.Join(err, os.Remove(f.Name()))
	if err != nil {
		return nil, fmt.Errorf("undo log of run %s: %w", run, errors.Join(err, f.Close()))
	}
	return l, syncDir(dir)
}

// Record writes an intended act down; it is on disk when Record returns. After an error the act must not be done.
func (l *Log) Record(op, identity string, args any) (ID, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return 0, fmt.Errorf("undo record %s %s: %w", op, identity, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	id := l.next
	if err := l.append(line{Record: &Record{id, op, identity, raw}}); err != nil {
		return 0, fmt.Errorf("undo record %s %s, nothing was done: %w", op, identity, err)
	}
	l.next++
	l.open[id] = true
	return id, nil
}

// Done writes down that an act has been undone. Marking one twice is success.
func (l *Log) Done(id ID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open[id] {
		return nil
	}
	delete(l.open, id)
	if err := l.append(line{Done: id}); err != nil {
		return fmt.Errorf("undo record %d done: %w", id, err)
	}
	return nil
}

// Pending is the number of acts that have not been undone.
func (l *Log) Pending() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)
}

// Close ends the log. Its file goes when everything has been undone; else it stays for Replay.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	var err error
	if len(l.open) == 0 {
		err = os.Remove(l.path)
	}
	err = errors.Join(err, l.file.Close())
	l.file = nil
	return err
}

// append writes one line and syncs it. A line that could not be written whole is taken back.
func (l *Log) append(v line) error {
	if l.file == nil {
		return os.ErrClosed
	}
	b, err := encode(v)
	if err != nil {
		return err
	}
	_, err = l.file.WriteAt(b, l.size)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(err, l.file.Truncate(l.size))
	}
	l.size += int64(len(b))
	return nil
}

// encode makes a line: checksum, blank, JSON.
func encode(v line) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(b), b), nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// BootID is the kernel's boot id: what was done before the latest boot is gone. "" where the kernel has none.
func BootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") //nolint:errcheck // "" then
	return strings.TrimSpace(string(b))
}
