package sim

import (
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/mem"
)

var _ host.Guest = (*Memory)(nil)

// Fill implements host.Guest.
func (m *Memory) Fill(gpa mem.GPA, n uint64, tag uint64) error {
	if !m.inside(uint64(gpa), n) {
		return m.outside(gpa, n)
	}
	for done := uint64(0); done < n; {
		block, off, k := m.piece(gpa, n, done)
		f := &m.frames[m.touch(block)]
		f.content = f.content.set(extent{off: off, n: k, tag: tag, at: done})
		done += uint64(k)
	}
	return nil
}

// Check implements host.Guest. Stretches that hold the right part of the right pattern are equal without looking
// at a byte; everything else is compared byte by byte.
func (m *Memory) Check(gpa mem.GPA, n uint64, tag uint64) (bad uint64, first mem.GPA, err error) {
	if !m.inside(uint64(gpa), n) {
		return 0, 0, m.outside(gpa, n)
	}
	for done := uint64(0); done < n; {
		block, off, k := m.piece(gpa, n, done)
		m.frames[m.touch(block)].content.each(off, k, func(e extent) {
			at := done + uint64(e.off-off) // of the wanted pattern
			if e.literal == 0 && e.tag == tag && (tag == 0 || e.at == at) {
				return
			}
			b, at0 := m.differ(e, tag, at)
			if b > 0 && bad == 0 {
				first = gpa + mem.GPA(at0)
			}
			bad += b
		})
		done += uint64(k)
	}
	return bad, first, nil
}

// differ counts the bytes of e that are not pattern tag at offset at, and returns the offset of the first.
func (m *Memory) differ(e extent, tag, at uint64) (bad, first uint64) {
	m.buf = e.payload(m.literals).AppendTo(m.buf[:0])
	for i := 0; i < len(m.buf); i++ {
		k := mem.Mismatch(m.buf[i:], tag, at+uint64(i))
		if k < 0 {
			break
		}
		i += k
		if bad == 0 {
			first = at + uint64(i)
		}
		bad++
	}
	return bad, first
}

// piece is the part of n bytes at gpa that lies in one block, from done on.
func (m *Memory) piece(gpa mem.GPA, n, done uint64) (block uint64, off, k uint32) {
	at := uint64(gpa) + done
	off = uint32(at & (m.cfg.Block - 1))
	return at >> m.shift, off, uint32(min(n-done, m.cfg.Block-uint64(off)))
}

func (m *Memory) outside(gpa mem.GPA, n uint64) error {
	return fmt.Errorf("sim: touch %d bytes at %#x of a guest of %d: %w", n, uint64(gpa), m.cfg.Size, ErrOutside)
}
