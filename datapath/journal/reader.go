package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"

	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Read returns the events of a journal in order. An error ends them: a *TornError after the last whole block of a
// journal whose writer died, ErrCorrupt, ErrFormat, or the reader's own.
func Read(r io.Reader) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		head := make([]byte, len(magic))
		switch _, err := io.ReadFull(r, head); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			yield(event.Event{}, &TornError{})
			return
		case err != nil:
			yield(event.Event{}, fmt.Errorf("journal: %w", err))
			return
		case string(head) != magic:
			yield(event.Event{}, foreign(head))
			return
		}
		var body []byte
		var whole uint64
		count := func(e event.Event, err error) bool {
			if err == nil {
				whole++
			}
			return yield(e, err)
		}
		for {
			var err error
			body, err = block(r, body)
			if errors.Is(err, io.EOF) {
				return
			}
			if errors.Is(err, ErrTorn) {
				err = &TornError{Events: whole}
			}
			if err != nil {
				yield(event.Event{}, err)
				return
			}
			if !events(body, count) {
				return
			}
		}
	}
}

// foreign says why head does not begin a journal that this reader knows.
func foreign(head []byte) error {
	name := len(magic) - 1
	if string(head[:name]) == magic[:name] {
		return fmt.Errorf("%w: version %q, this reader knows %q", ErrFormat, head[name:], magic[name:])
	}
	return fmt.Errorf("%w: begins with %q, want %q", ErrFormat, head, magic)
}

// block reads the next block into buf; io.EOF where a block would begin is the end.
func block(r io.Reader, buf []byte) ([]byte, error) {
	var head [headBytes]byte
	switch _, err := io.ReadFull(r, head[:]); {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrTorn
	case err != nil:
		return nil, fmt.Errorf("journal: %w", err)
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n == 0 || n > maxBlock {
		return nil, ErrCorrupt
	}
	if int(n) > cap(buf) {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	switch _, err := io.ReadFull(r, buf); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrTorn
	case err != nil:
		return nil, fmt.Errorf("journal: %w", err)
	}
	if crc32.Checksum(buf, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, ErrCorrupt
	}
	return buf, nil
}

// events yields the events of a body and says whether to go on.
func events(body []byte, yield func(event.Event, error) bool) bool {
	var last vtime.Time
	for len(body) > 0 {
		e, rest, ok := parseEvent(body, last)
		if !ok {
			yield(event.Event{}, ErrCorrupt)
			return false
		}
		if !yield(e, nil) {
			return false
		}
		body, last = rest, e.At
	}
	return true
}
