//go:build linux

package undo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrGone is what a performer returns when there is nothing left to undo: that is success, and said so.
var ErrGone = errors.New("already gone")

// Performer undoes one record. It compares identities before it touches anything, is idempotent, and returns
// ErrGone where the thing is not there any more.
type Performer func(h Header, r Record) error

// Outcome says what became of one record of a dead run.
type Outcome string

// The outcomes.
const (
	Undone  Outcome = "undone"
	Gone    Outcome = "already gone"
	Pending Outcome = "to be undone" // a dry run
	Failed  Outcome = "failed"
)

// Item is one record of a dead run and what became of it.
type Item struct {
	Run      string  `json:"run"`
	Op       string  `json:"op"`
	Identity string  `json:"identity"`
	Outcome  Outcome `json:"outcome"`
	Error    string  `json:"error,omitempty"`
}

// Report is what a Replay did.
type Report struct {
	Items  []Item   `json:"items"`
	Living []string `json:"living"` // runs that were not touched: their processes live
	Notes  []string `json:"notes"`  // damaged or newer logs
}

// Failed is the number of records that could not be undone, unreadable logs included.
func (r *Report) Failed() int {
	n := len(r.Notes)
	for _, i := range r.Items {
		if i.Outcome == Failed {
			n++
		}
	}
	return n
}

// Replay undoes what dead runs left, the newest act first. A run is dead when the lock on its file is free;
// nothing touches a living one. Of a damaged log what can be read is undone; the file then stays, under another
// name, to be looked at. With dryRun it only reports.
func Replay(dir string, performers map[string]Performer, dryRun bool) (*Report, error) {
	r := &Report{Items: []Item{}, Living: []string{}, Notes: []string{}}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("undo logs: %w", err)
	}
	var errs []error
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".new-"):
			errs = append(errs, abandoned(path, dryRun))
		case strings.HasSuffix(e.Name(), suffix):
			errs = append(errs, r.one(path, performers, dryRun))
		}
	}
	return r, errors.Join(errs...)
}

// abandoned removes a log that its run did not get to use.
func abandoned(path string, dryRun bool) error {
	info, err := os.Stat(path)
	if err != nil || dryRun || time.Since(info.ModTime()) < time.Minute {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // read only
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil
	}
	return os.Remove(path)
}

// one replays one log.
func (r *Report) one(path string, performers map[string]Performer, dryRun bool) error {
	run := strings.TrimSuffix(filepath.Base(path), suffix)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil // its run has just ended
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // what was written is synced
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		r.Living = append(r.Living, run)
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil // ended between open and lock
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	h, records, whole, err := parse(b)
	if err != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %v; it was left alone", path, err))
		return nil
	}
	if h.Run == "" {
		h.Run = run
	}
	failed := false
	for i := len(records) - 1; i >= 0; i-- {
		item := perform(h, records[i], performers, dryRun)
		failed = failed || item.Outcome == Failed
		r.Items = append(r.Items, item)
	}
	switch {
	case dryRun || failed:
		return nil
	case !whole:
		r.Notes = append(r.Notes, fmt.Sprintf("%s was damaged; what could be read of it has been undone, it is kept as %s.damaged", path, path))
		return os.Rename(path, path+".damaged")
	}
	return os.Remove(path)
}

// perform undoes one record.
func perform(h Header, rec Record, performers map[string]Performer, dryRun bool) Item {
	item := Item{Run: h.Run, Op: rec.Op, Identity: rec.Identity, Outcome: Pending}
	p, ok := performers[rec.Op]
	if !ok {
		item.Outcome, item.Error = Failed, "this build does not know the operation"
		return item
	}
	if dryRun {
		return item
	}
	switch err := p(h, rec); {
	case err == nil:
		item.Outcome = Undone
	case errors.Is(err, ErrGone):
		item.Outcome = Gone
	default:
		item.Outcome, item.Error = Failed, err.Error()
	}
	return item
}

// parse reads a log: the records that were not marked as done, oldest first. whole is false where a line could not
// be read; a torn last line is what a crash leaves, its act was not done, and is no damage. The error is for a log
// of a newer version.
func parse(b []byte) (h Header, open []Record, whole bool, err error) {
	records := map[ID]Record{}
	var done []ID
	whole = true
	for len(b) > 0 {
		text, rest, ended := bytes.Cut(b, []byte("\n"))
		b = rest
		if !ended {
			break
		}
		v, ok := decode(text)
		switch {
		case !ok:
			whole = false
		case v.Header != nil:
			h = *v.Header
			if h.Version > Version {
				return h, nil, true, fmt.Errorf("written by a newer stellarlab, version %d: use that one's gc", h.Version)
			}
		case v.Record != nil:
			records[v.Record.ID] = *v.Record
		default:
			done = append(done, v.Done)
		}
	}
	// A mark may stand for a later record of the same thing. Where that one cannot be read, nothing counts as done:
	// performers are idempotent and compare identities.
	if whole {
		for _, id := range done {
			delete(records, id)
		}
	}
	for _, r := range records {
		open = append(open, r)
	}
	sort.Slice(open, func(i, j int) bool { return open[i].ID < open[j].ID })
	return h, open, whole, nil
}

// decode reads one line.
func decode(text []byte) (v line, ok bool) {
	if len(text) < 9 || text[8] != ' ' {
		return v, false
	}
	var sum uint32
	if n, err := fmt.Sscanf(string(text[:8]), "%08x", &sum); n != 1 || err != nil || sum != crc32.ChecksumIEEE(text[9:]) {
		return v, false
	}
	return v, json.Unmarshal(text[9:], &v) == nil
}
