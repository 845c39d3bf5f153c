//go:build linux

package hostmem

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// bring makes the pages of [at, at+n) within block b present: evicted bytes come back, the rest is zero.
// The block's stripe is held for writing.
func (m *Memory) bring(b, at, n uint64) error {
	s := m.lock(b)
	for _, r := range s.held[b] {
		for done := 0; done < len(r.bytes); {
			k, err := unix.Pwrite(m.fd, r.bytes[done:], int64(r.at)+int64(done))
			if err == unix.EINTR {
				continue
			}
			if err != nil {
				return fmt.Errorf("bring %d bytes back at %#x: %w", len(r.bytes), r.at, err)
			}
			done += k
		}
		m.mark(r.at, uint64(len(r.bytes)), true)
	}
	delete(s.held, b)
	if m.present(at, n) {
		return nil
	}
	first := at &^ (Page - 1)
	last := (at + n + Page - 1) &^ (Page - 1)
	if err := m.allocate(0, first, last-first); err != nil {
		return fmt.Errorf("bring %d bytes in at %#x: %w", last-first, first, err)
	}
	m.mark(first, last-first, true)
	return nil
}

// allocate calls fallocate until no signal interrupts it.
func (m *Memory) allocate(mode uint32, at, n uint64) error {
	for {
		if err := unix.Fallocate(m.fd, mode, int64(at), int64(n)); err != unix.EINTR {
			return err
		}
	}
}

// present says that all pages of [at, at+n) are here.
func (m *Memory) present(at, n uint64) bool {
	for p := at / Page; p*Page < at+n; p++ {
		if !m.here[p] {
			return false
		}
	}
	return true
}

func (m *Memory) mark(at, n uint64, here bool) {
	for p := at / Page; p*Page < at+n; p++ {
		m.here[p] = here
	}
}

// drop takes the pages of block b from the memfd, keeping their bytes, and returns how many went according
// to the kernel. The block's stripe is held for writing.
func (m *Memory) drop(b uint64) (pages uint64, err error) {
	at, n := b<<m.shift, m.cfg.Block
	block := m.data[at : at+n]
	before, err := resident(block)
	if err != nil {
		return 0, err
	}
	runs, err := m.keep(b)
	if err != nil {
		return 0, err
	}
	if err := m.allocate(unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, at, n); err != nil {
		return 0, fmt.Errorf("punch a hole of %d bytes at %#x: %w", n, at, err)
	}
	m.mark(at, n, false)
	s := m.lock(b)
	if s.held == nil {
		s.held = map[uint64][]run{}
	}
	s.held[b] = append(s.held[b], runs...)
	after, err := resident(block)
	if err != nil {
		return 0, err
	}
	if after > 0 {
		return before - min(before, after), fmt.Errorf("evict block at %#x: %d pages are still there: %w", at, after, ErrStuck)
	}
	return before, nil
}

// keep copies the pages of block b out, zeros excepted: those come back by themselves.
func (m *Memory) keep(b uint64) (runs []run, err error) {
	at, end := b<<m.shift, (b+1)<<m.shift
	for at < end {
		if !m.here[at/Page] || zero(m.data[at:at+Page]) {
			at += Page
			continue
		}
		n := uint64(Page)
		for at+n < end && m.here[(at+n)/Page] && !zero(m.data[at+n:at+n+Page]) {
			n += Page
		}
		r := run{at: at, bytes: make([]byte, n)}
		if err := m.move(r.bytes, m.data[at:at+n]); err != nil {
			return nil, err
		}
		runs = append(runs, r)
		at += n
	}
	return runs, nil
}

// zero says that the page holds zeros only.
func zero(page []byte) bool { return string(page) == zeros }

// zeros is a page of them.
var zeros = string(make([]byte, Page))

// resident asks the kernel how many pages of b it holds in memory: the second observer of an eviction.
func resident(b []byte) (pages uint64, err error) {
	vec := make([]byte, (len(b)+Page-1)/Page)
	if err := mincore(b, vec); err != nil {
		return 0, fmt.Errorf("mincore of %d bytes: %w", len(b), err)
	}
	for _, v := range vec {
		pages += uint64(v & 1)
	}
	return pages, nil
}
