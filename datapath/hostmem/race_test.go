//go:build linux

package hostmem_test

import (
	"sync"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/hostmem"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// TestApplicationAndEvictionMeet has applications fill and check their own pages while the same blocks are
// evicted and pinned over and over: no touch may fail, and none may see zeros or another's bytes.
func TestApplicationAndEvictionMeet(t *testing.T) {
	modes(t, func(t *testing.T, m *hostmem.Memory, _ *log) {
		const users, rounds = 4, 200
		var wg sync.WaitGroup
		for u := range uint64(users) {
			wg.Go(func() {
				at := mem.GPA(u*3*hostmem.Page + 100) // all in block 0, and across into block 1 at its end
				if u == users-1 {
					at = block - 2*hostmem.Page
				}
				for i := range uint64(rounds) {
					tag := u<<32 | i | 1<<63
					if err := m.Fill(at, 2*hostmem.Page+200, tag); err != nil {
						t.Error(err)
						return
					}
					if bad, first, err := m.Check(at, 2*hostmem.Page+200, tag); bad != 0 || err != nil {
						t.Errorf("user %d round %d: %d bytes differ from %#x, %v", u, i, bad, uint64(first), err)
						return
					}
				}
			})
		}
		var pages uint64
		for i := range 100 {
			if i%2 == 0 {
				pin(t, m, 0)
			}
			pages += evict(t, m, 0, 1)
		}
		wg.Wait()
		if pages == 0 {
			t.Error("nothing was evicted")
		}
	})
}
