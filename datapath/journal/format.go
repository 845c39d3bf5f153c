package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// The format: the magic, then blocks. A block is its length and the CRC-32C of its body, both 32 bits little
// endian, then the body: whole events. An event is, as varints, the time since the event before it in the block
// (since 0 for the first; signed), kind, node (signed), queue pair, A, B, C and D. Blocks stand alone, so a reader
// that finds a torn one has lost nothing before it.
const (
	magic     = "STLJRNL1"
	blockSize = 64 << 10 // bytes of a body above which a block is closed
	maxBlock  = 1 << 20  // bytes of a body that a reader accepts
	maxEvent  = 8 * binary.MaxVarintLen64
	headBytes = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Errors of a reader.
var (
	ErrTorn    = errors.New("journal ends in the middle of a block")
	ErrFormat  = errors.New("not a journal of this version")
	ErrCorrupt = errors.New("journal block is damaged")
)

// TornError is the end of a journal whose writer died. It is ErrTorn.
type TornError struct {
	Events uint64 // whole events before the torn block
}

func (e *TornError) Error() string {
	return fmt.Sprintf("%v, after %d whole events", ErrTorn, e.Events)
}

// Is makes errors.Is find ErrTorn.
func (e *TornError) Is(target error) bool { return target == ErrTorn }

// appendEvent appends the encoding of e; last is the time of the event before it in the block.
func appendEvent(b []byte, e *event.Event, last vtime.Time) []byte {
	b = binary.AppendVarint(b, int64(e.At-last))
	b = binary.AppendUvarint(b, uint64(e.Kind))
	b = binary.AppendVarint(b, int64(e.Node))
	b = binary.AppendUvarint(b, uint64(e.QP))
	b = binary.AppendUvarint(b, e.A)
	b = binary.AppendUvarint(b, e.B)
	b = binary.AppendUvarint(b, e.C)
	return binary.AppendUvarint(b, e.D)
}

// parseEvent reads one event from the front of b and returns what follows; ok is false if b holds none.
func parseEvent(b []byte, last vtime.Time) (e event.Event, rest []byte, ok bool) {
	p := parser{b: b, ok: true}
	e.At = last + vtime.Time(p.signed())
	e.Kind = event.Kind(p.bounded(1<<16 - 1))
	node := p.signed()
	if node < -1<<31 || node > 1<<31-1 {
		p.ok = false
	}
	e.Node = int32(node)
	e.QP = uint32(p.bounded(1<<32 - 1))
	e.A, e.B, e.C, e.D = p.unsigned(), p.unsigned(), p.unsigned(), p.unsigned()
	return e, p.b, p.ok
}

// parser reads varints until one is missing.
type parser struct {
	b  []byte
	ok bool
}

func (p *parser) unsigned() uint64 {
	v, n := binary.Uvarint(p.b)
	if n <= 0 {
		p.ok, p.b = false, nil
		return 0
	}
	p.b = p.b[n:]
	return v
}

func (p *parser) bounded(limit uint64) uint64 {
	v := p.unsigned()
	if v > limit {
		p.ok = false
	}
	return v
}

func (p *parser) signed() int64 {
	v, n := binary.Varint(p.b)
	if n <= 0 {
		p.ok, p.b = false, nil
		return 0
	}
	p.b = p.b[n:]
	return v
}
