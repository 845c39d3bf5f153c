//go:build linux

package hostmem

import (
	"fmt"
	"sync/atomic"
)

// Stats counts what a guest's memory went through.
type Stats struct {
	Refused uint64 // accesses to absent pages that userfaultfd turned into errors
	Evicted uint64 // pages that the kernel says are gone
	Pinned  uint64 // bytes pinned now, by the own record
}

// tally is Stats while it grows.
type tally struct {
	refused atomic.Uint64
	evicted atomic.Uint64
}

// Stats reads the counts. It may be called at any time, from any goroutine.
func (m *Memory) Stats() Stats {
	s := Stats{Refused: m.stats.refused.Load(), Evicted: m.stats.evicted.Load()}
	for i := range m.pinned {
		if m.pinned[i].Load() {
			s.Pinned += m.cfg.Block
		}
	}
	return s
}

// Probe tells what stands behind guest memory here: an error where there is none at all; watched false, and
// why, where userfaultfd is missing and absence is known from the own record only.
func Probe() (watched bool, why, err error) {
	m, err := Open(Config{Size: Page, Block: Page})
	if err != nil {
		return false, nil, err
	}
	watched, why = m.Watched()
	if err := m.Close(); err != nil {
		return false, nil, fmt.Errorf("guest memory: %w", err)
	}
	return watched, why, nil
}
