//go:build linux

package hostmem

import (
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/mem"
)

var _ host.Guest = (*Memory)(nil)

// Fill implements host.Guest. A page that is absent is brought in first, as the host kernel would on the
// application's touch.
func (m *Memory) Fill(gpa mem.GPA, n uint64, tag uint64) error {
	return m.visit(gpa, n, func(b []byte, off uint64) { mem.Fill(b, tag, off) })
}

// Check implements host.Guest, bringing in what is absent as Fill does.
func (m *Memory) Check(gpa mem.GPA, n uint64, tag uint64) (bad uint64, first mem.GPA, err error) {
	err = m.visit(gpa, n, func(b []byte, off uint64) {
		for i := 0; i < len(b); i++ {
			k := mem.Mismatch(b[i:], tag, off+uint64(i))
			if k < 0 {
				return
			}
			i += k
			if bad == 0 {
				first = gpa + mem.GPA(off) + mem.GPA(i)
			}
			bad++
		}
	})
	return bad, first, err
}

// visit calls f on the pieces of n bytes at gpa, block by block, with their offset from gpa.
func (m *Memory) visit(gpa mem.GPA, n uint64, f func(b []byte, off uint64)) error {
	if !m.inside(uint64(gpa), n) {
		return fmt.Errorf("touch %d bytes at %#x in a guest of %d: %w", n, uint64(gpa), m.cfg.Size, ErrOutside)
	}
	for off := uint64(0); off < n; {
		at := uint64(gpa) + off
		k := min(n-off, m.cfg.Block-at&(m.cfg.Block-1))
		if err := m.hold(at, k, func() { f(m.data[at:at+k:at+k], off) }); err != nil {
			return err
		}
		off += k
	}
	return nil
}

// hold runs f while the pages of [at, at+n), all in one block, are present and cannot go.
func (m *Memory) hold(at, n uint64, f func()) error {
	b := m.block(at)
	s := m.lock(b)
	s.RLock()
	for !m.present(at, n) {
		s.RUnlock()
		s.Lock()
		if m.data == nil {
			s.Unlock()
			return ErrClosed
		}
		err := m.bring(b, at, n)
		s.Unlock()
		if err != nil {
			return err
		}
		s.RLock()
	}
	defer s.RUnlock()
	if m.data == nil {
		return ErrClosed
	}
	return m.guard(f)
}
