package sim

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// ErrOutside is an access that does not lie in the memory.
var ErrOutside = errors.New("outside the memory")

// hpaBase keeps host physical addresses apart from guest physical ones: one that is taken for the other is
// outside.
const hpaBase = 1 << 44

// MemoryConfig describes one guest's memory.
type MemoryConfig struct {
	Node  int32      // graph id of the host, for events
	Size  uint64     // bytes
	Block uint64     // bytes: what is pinned and evicted as one; a power of two, 4 KiB to 1 GiB. 0: 2 MiB
	Sink  event.Sink // gets Placed and BadAccess; nil: nobody
}

// Memory is one guest's memory, in frames of one block each, as patterns: it costs what is touched and not what
// the guest has. It implements host.Bus for the device and host.Guest for the application, and belongs to the
// simulation's one thread.
//
// A block that is evicted comes back in another frame; its old frame is never used again, so that whoever still
// writes to the old address writes where nobody will look.
type Memory struct {
	cfg      MemoryConfig
	shift    uint
	sink     event.Sink
	ept      map[uint64]int32   // block -> frame, blocks that are present
	away     map[uint64]extents // content of evicted blocks
	frames   []frame
	literals [][]byte // 0 is not used. What came as bytes and not as a pattern; kept as long as the memory
	buf      []byte   // of the last Read that was not of one piece
	ev       event.Event
}

// frame is a block of host memory.
type frame struct {
	block   uint64 // that it holds, or held
	content extents
	pinned  bool
	stale   bool // the block has gone elsewhere
	whole   bool // all its pages are present, not only those that were touched
}

// NewMemory returns memory of which nothing is present and everything zero.
func NewMemory(cfg MemoryConfig) (*Memory, error) {
	if cfg.Block == 0 {
		cfg.Block = 2 << 20
	}
	if cfg.Block < mem.Page || cfg.Block > 1<<30 || cfg.Block&(cfg.Block-1) != 0 {
		return nil, fmt.Errorf("sim: memory block of %d bytes: want a power of two from 4 KiB to 1 GiB", cfg.Block)
	}
	m := &Memory{
		cfg: cfg, shift: uint(bits.TrailingZeros64(cfg.Block)), sink: cfg.Sink,
		ept: map[uint64]int32{}, away: map[uint64]extents{}, literals: make([][]byte, 1),
	}
	if m.sink == nil {
		m.sink = event.Discard{}
	}
	return m, nil
}

// touch returns the frame of a block, bringing the block in if it is not present.
func (m *Memory) touch(block uint64) int32 {
	if i, ok := m.ept[block]; ok {
		return i
	}
	i := int32(len(m.frames))
	m.frames = append(m.frames, frame{block: block, content: m.away[block]})
	delete(m.away, block)
	m.ept[block] = i
	return i
}

// Pin makes a block present and pins it. It returns where it is. A block that is pinned already stays so, and one
// Unpin releases it.
func (m *Memory) Pin(block mem.Span) (mem.HPA, error) {
	if err := m.aligned(block); err != nil {
		return 0, err
	}
	i := m.touch(uint64(block.Start) >> m.shift)
	f := &m.frames[i]
	f.pinned, f.whole = true, true
	return m.hpa(i), nil
}

// Unpin releases the block at hpa. A pin that is not there is left alone.
func (m *Memory) Unpin(_ mem.Span, hpa mem.HPA) {
	if i, _, ok := m.frame(hpa); ok {
		m.frames[i].pinned = false
	}
}

// Evict drops the blocks: their content is kept and comes back, elsewhere, with the next touch. It returns how
// many pages went. Pins do not hold a block: who evicts has told the device first, or wants to see what happens.
func (m *Memory) Evict(blocks []mem.Span) (pages uint64) {
	for _, s := range blocks {
		if m.aligned(s) != nil {
			continue
		}
		for b := uint64(s.Start) >> m.shift; b <= uint64(s.End()-1)>>m.shift; b++ {
			i, ok := m.ept[b]
			if !ok {
				continue
			}
			f := &m.frames[i]
			pages += m.pages(f)
			m.away[b] = f.content
			f.content, f.pinned, f.stale = nil, false, true
			delete(m.ept, b)
		}
	}
	return pages
}

// pages counts the pages of a frame that are present.
func (m *Memory) pages(f *frame) (n uint64) {
	start := f.block << m.shift
	if f.whole {
		return (min(m.cfg.Block, m.cfg.Size-start) + mem.Page - 1) / mem.Page
	}
	next := uint32(0) // first page not counted yet
	for i := range f.content {
		first, last := max(f.content[i].off/mem.Page, next), (f.content[i].end()-1)/mem.Page
		if last >= first {
			n += uint64(last - first + 1)
			next = last + 1
		}
	}
	return n
}

// Pinned is the number of bytes in pinned frames.
func (m *Memory) Pinned() (n uint64) {
	for i := range m.frames {
		if m.frames[i].pinned {
			n += m.cfg.Block
		}
	}
	return n
}

// aligned says what is wrong with a span of blocks.
func (m *Memory) aligned(s mem.Span) error {
	if !s.Valid() || uint64(s.End()) > m.cfg.Size {
		return fmt.Errorf("sim: %v of a guest of %d bytes: %w", s, m.cfg.Size, ErrOutside)
	}
	if uint64(s.Start)&(m.cfg.Block-1) != 0 {
		return fmt.Errorf("sim: %v does not start at a block of %d bytes", s, m.cfg.Block)
	}
	return nil
}

func (m *Memory) hpa(i int32) mem.HPA { return hpaBase + mem.HPA(i)<<m.shift }

// frame returns the frame that a host physical address lies in, and where in it.
func (m *Memory) frame(a mem.HPA) (i int32, off uint32, ok bool) {
	if a < hpaBase || uint64(a-hpaBase)>>m.shift >= uint64(len(m.frames)) {
		return 0, 0, false
	}
	at := uint64(a - hpaBase)
	return int32(at >> m.shift), uint32(at & (m.cfg.Block - 1)), true
}

func (m *Memory) emit(now vtime.Time, k event.Kind, a, b, c uint64) {
	m.ev = event.Event{At: now, Kind: k, Node: m.cfg.Node, A: a, B: b, C: c}
	m.sink.Emit(&m.ev)
}
