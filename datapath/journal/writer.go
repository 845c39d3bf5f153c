package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Writer is an event.Sink that writes a journal. It buffers one block; Flush or Close writes what is left. It is
// not safe for concurrent use. The first error of the underlying writer is kept and returned by Close.
type Writer struct {
	out    io.Writer
	digest hash.Hash
	body   []byte
	last   vtime.Time
	events uint64
	err    error
}

// NewWriter returns a Writer that has written the head of a journal to w.
func NewWriter(w io.Writer) *Writer {
	j := &Writer{out: w, digest: sha256.New(), body: make([]byte, headBytes, blockSize+maxEvent)}
	j.write([]byte(magic))
	return j
}

// Emit implements event.Sink.
func (j *Writer) Emit(e *event.Event) {
	j.body = appendEvent(j.body, e, j.last)
	j.last = e.At
	j.events++
	if len(j.body) >= blockSize {
		j.flush()
	}
}

// Flush writes the block that is being filled.
func (j *Writer) Flush() error {
	j.flush()
	return j.err
}

// Close writes what is left and returns the first error. It does not close the underlying writer.
func (j *Writer) Close() error { return j.Flush() }

// Events returns how many events were taken.
func (j *Writer) Events() uint64 { return j.events }

// Digest returns the sha256 of all that was written, in hexadecimal: equal for equal events. Call it after Close.
func (j *Writer) Digest() string { return hex.EncodeToString(j.digest.Sum(nil)) }

func (j *Writer) flush() {
	if len(j.body) == headBytes {
		return
	}
	binary.LittleEndian.PutUint32(j.body, uint32(len(j.body)-headBytes))
	binary.LittleEndian.PutUint32(j.body[4:], crc32.Checksum(j.body[headBytes:], castagnoli))
	j.write(j.body)
	j.body, j.last = j.body[:headBytes], 0
}

func (j *Writer) write(b []byte) {
	if j.err != nil {
		return
	}
	_, _ = j.digest.Write(b) // a hash never fails
	if _, err := j.out.Write(b); err != nil {
		j.err = fmt.Errorf("journal: %w", err)
	}
}
