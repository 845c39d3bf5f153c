//go:build linux

package nslab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/stellarlab/stellarlab/datapath/journal"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// tap is the event sink of one owner loop: between runs it drops what comes, in a run it writes the loop's journal.
// It belongs to that loop.
type tap struct {
	book *book
}

func newTap() *tap { return &tap{} }

// Emit implements event.Sink.
func (t *tap) Emit(e *event.Event) {
	if t.book != nil {
		t.book.Emit(e)
	}
}

// book is the journal of one loop in one run: on disk, since a long run has more events than memory is for them,
// in a file without a name, so that nothing is left whatever ends the process.
type book struct {
	*journal.Writer
	file *os.File
	buf  *bufio.Writer
}

func newBook() (*book, error) {
	f, err := os.CreateTemp("", "stl-journal-*")
	if err != nil {
		return nil, fmt.Errorf("loop journal: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, fmt.Errorf("loop journal: %w", errors.Join(err, f.Close()))
	}
	b := &book{file: f, buf: bufio.NewWriterSize(f, 1<<18)}
	b.Writer = journal.NewWriter(b.buf)
	return b, nil
}

// events ends the writing and returns what was written.
func (b *book) events() (iter.Seq2[event.Event, error], error) {
	if err := errors.Join(b.Writer.Close(), b.buf.Flush()); err != nil {
		return nil, fmt.Errorf("loop journal: %w", err)
	}
	if _, err := b.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("loop journal: %w", err)
	}
	return journal.Read(bufio.NewReaderSize(b.file, 1<<18)), nil
}

func (b *book) close() error { return b.file.Close() }

// merge hands the events of all books to sink in one order, in lab time of the run that began at start. It counts
// what the receivers' ICRC rejected, by node.
func merge(books []*book, start vtime.Time, sink event.Sink) (rejected map[int32]uint64, err error) {
	rejected = map[int32]uint64{}
	streams := make([]iter.Seq2[event.Event, error], len(books))
	for i, b := range books {
		if streams[i], err = b.events(); err != nil {
			return nil, err
		}
	}
	for e, err := range journal.Merge(streams...) {
		if err != nil {
			return nil, fmt.Errorf("merge of the loops' journals: %w", err)
		}
		e.At -= start
		switch e.Kind {
		case event.PathOut:
			e.B -= uint64(start)
		case event.Rejected:
			if event.RejectCause(e.A) == event.RejectICRC {
				rejected[e.Node]++
			}
		}
		sink.Emit(&e)
	}
	return rejected, nil
}
