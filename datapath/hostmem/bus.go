//go:build linux

package hostmem

import (
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

var _ host.Bus = (*Memory)(nil)

// bounces is how many results of Read over scattered pieces stay valid at a time: a batch of a driver.
const bounces = 128

// Read implements host.Bus without copying: p.Bytes is the guest memory itself wherever segs are adjacent,
// and stays valid for the next bounces-1 reads and until the block is evicted.
func (m *Memory) Read(now vtime.Time, segs []mem.Segment, p *mem.Payload) error {
	total, err := m.admit(now, segs)
	if err != nil {
		return err
	}
	*p = mem.Payload{Len: uint32(total)}
	if total == 0 {
		return nil
	}
	if err := m.reach(segs); err != nil {
		return err
	}
	if adjacent(segs) {
		p.Bytes = m.at(segs[0].HPA, total)
		return nil
	}
	b := m.bounce[m.turn][:0]
	for _, s := range segs {
		b = append(b, m.at(s.HPA, uint64(s.Len))...)
	}
	m.bounce[m.turn] = b
	m.turn = (m.turn + 1) % bounces
	p.Bytes = b
	return nil
}

// Write implements host.Bus. It moves all bytes or none.
func (m *Memory) Write(now vtime.Time, segs []mem.Segment, p *mem.Payload) error {
	total, err := m.admit(now, segs)
	if err != nil {
		return err
	}
	if total != uint64(p.Len) {
		return fmt.Errorf("write %d bytes over segments of %d: lengths must be equal", p.Len, total)
	}
	if total == 0 {
		return nil
	}
	if err := m.reach(segs); err != nil {
		return err
	}
	err = m.guard(func() {
		off := uint32(0)
		for _, s := range segs {
			if dst := m.at(s.HPA, uint64(s.Len)); p.Bytes != nil {
				copy(dst, p.Bytes[off:])
			} else {
				mem.Fill(dst, p.Tag, p.Off+uint64(off))
			}
			off += s.Len
		}
	})
	if err != nil {
		return err
	}
	for _, s := range segs {
		m.emit(now, event.Placed, uint64(s.HPA), uint64(s.Len), uint64(s.HPA))
	}
	return nil
}

// admit checks segs against the own record of what is pinned, and returns their length.
func (m *Memory) admit(now vtime.Time, segs []mem.Segment) (total uint64, err error) {
	for _, s := range segs {
		at, n := uint64(s.HPA), uint64(s.Len)
		total += n
		if !m.inside(at, n) {
			m.emit(now, event.BadAccess, uint64(event.BadOutside), at, n)
			return 0, fmt.Errorf("DMA of %d bytes at %#x in a guest of %d: %w", n, at, m.cfg.Size, ErrOutside)
		}
		for b := m.block(at); n > 0 && b <= m.block(at+n-1); b++ {
			if !m.pinned[b].Load() {
				m.emit(now, event.BadAccess, uint64(event.BadUnpinned), at, n)
				return 0, fmt.Errorf("DMA of %d bytes at %#x, block at %#x: %w", n, at, b<<m.shift, ErrUnpinned)
			}
		}
	}
	return total, nil
}

// reach touches every page of segs, so that an absent one is an error before anything moves. Without
// userfaultfd a touch would bring it in; pinned pages are present by the own record then.
func (m *Memory) reach(segs []mem.Segment) error {
	if m.uffd < 0 {
		return nil
	}
	return m.guard(func() {
		for _, s := range segs {
			m.sum += touch(m.at(s.HPA, uint64(s.Len)))
		}
	})
}

// at returns n bytes of the mapping.
func (m *Memory) at(a mem.HPA, n uint64) []byte { return m.data[a : uint64(a)+n : uint64(a)+n] }

// adjacent says that segs are one piece.
func adjacent(segs []mem.Segment) bool {
	for i := 1; i < len(segs); i++ {
		if segs[i].HPA != segs[i-1].HPA+mem.HPA(segs[i-1].Len) {
			return false
		}
	}
	return true
}

func (m *Memory) emit(now vtime.Time, k event.Kind, a, b, c uint64) {
	if m.cfg.Sink != nil {
		m.event = event.Event{At: now, Kind: k, Node: m.cfg.Node, A: a, B: b, C: c}
		m.cfg.Sink.Emit(&m.event)
	}
}
