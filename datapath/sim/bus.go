package sim

import (
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

var _ host.Bus = (*Memory)(nil)

// Read implements host.Bus. Memory of one piece is read as its pattern, without touching a byte.
func (m *Memory) Read(now vtime.Time, segs []mem.Segment, p *mem.Payload) error {
	if err := m.admit(now, segs); err != nil {
		return err
	}
	*p = mem.Payload{}
	whole := true // what has been read so far is one piece, in p
	for _, s := range segs {
		if s.Len == 0 {
			continue
		}
		i, off, _ := m.frame(s.HPA)
		x := m.frames[i].content
		if whole {
			e, ok := x.one(off, s.Len)
			if ok && join(p, e.payload(m.literals)) {
				continue
			}
			m.buf = p.AppendTo(m.buf[:0])
			whole = false
		}
		x.each(off, s.Len, func(e extent) { m.buf = e.payload(m.literals).AppendTo(m.buf) })
	}
	if !whole {
		*p = mem.Payload{Len: uint32(len(m.buf)), Bytes: m.buf}
	}
	return nil
}

// join appends q to p if they are one piece of one pattern.
func join(p *mem.Payload, q mem.Payload) bool {
	switch {
	case p.Len == 0:
		*p = q
	case p.Bytes != nil || q.Bytes != nil || p.Tag != q.Tag || p.Tag != 0 && p.Off+uint64(p.Len) != q.Off:
		return false
	default:
		p.Len += q.Len
	}
	return true
}

// Write implements host.Bus. It moves all bytes or none. A write to a frame that is not pinned is reported and
// lands where it says, as hardware would have it: if the guest's block has gone elsewhere, the guest does not
// see it.
func (m *Memory) Write(now vtime.Time, segs []mem.Segment, p *mem.Payload) error {
	if err := m.admit(now, segs); err != nil {
		return err
	}
	total := uint64(0)
	for _, s := range segs {
		total += uint64(s.Len)
	}
	if total != uint64(p.Len) {
		return fmt.Errorf("sim: write %d bytes over segments of %d: lengths must be equal", p.Len, total)
	}
	done := uint32(0)
	for _, s := range segs {
		if s.Len == 0 {
			continue
		}
		i, off, _ := m.frame(s.HPA)
		f := &m.frames[i]
		e := extent{off: off, n: s.Len, tag: p.Tag, at: p.Off + uint64(done)}
		if p.Bytes != nil {
			m.literals = append(m.literals, append([]byte(nil), p.Bytes[done:done+s.Len]...))
			e.tag, e.at, e.literal = 0, 0, uint32(len(m.literals)-1)
		}
		f.content = f.content.set(e)
		done += s.Len
		if !f.stale {
			m.emit(now, event.Placed, f.block<<m.shift+uint64(off), uint64(s.Len), uint64(s.HPA))
		}
	}
	return nil
}

// admit checks segs against the own record of frames: what is in none is refused, what is not pinned is
// reported.
func (m *Memory) admit(now vtime.Time, segs []mem.Segment) error {
	for _, s := range segs {
		i, off, ok := m.frame(s.HPA)
		if !ok || uint64(off)+uint64(s.Len) > m.cfg.Block || !m.inside(m.frames[i].block<<m.shift+uint64(off), uint64(s.Len)) {
			m.emit(now, event.BadAccess, uint64(event.BadOutside), uint64(s.HPA), uint64(s.Len))
			return fmt.Errorf("sim: DMA of %d bytes at %#x: %w", s.Len, uint64(s.HPA), ErrOutside)
		}
		if !m.frames[i].pinned {
			m.emit(now, event.BadAccess, uint64(event.BadUnpinned), uint64(s.HPA), uint64(s.Len))
		}
	}
	return nil
}

// inside says that n bytes at a lie in the guest.
func (m *Memory) inside(a, n uint64) bool { return a <= m.cfg.Size && n <= m.cfg.Size-a }
