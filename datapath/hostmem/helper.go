//go:build linux

package hostmem

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// Pin makes the block of r present and locked, and calls answer from the helper goroutine, always once.
// Requests are served in order of call. It never blocks.
func (m *Memory) Pin(r host.Request, answer func(host.Answer)) {
	a := host.Answer{Ticket: r.Ticket, HPA: mem.HPA(r.Block.Start)}
	if !m.jobs.put(func() { a.Err = m.each(r.Block, m.pin); answer(a) }) {
		a.Err = ErrClosed
		answer(a)
	}
}

// Unpin lets the block of r go: a DMA to it is refused from now on, the lock is undone by the helper.
func (m *Memory) Unpin(r host.Request) {
	m.disown(r.Block)
	m.jobs.put(func() { _ = m.each(r.Block, m.unlock) }) // a block outside is nobody's
}

// Evict takes the blocks from the guest as the host kernel would: a DMA to them is refused from now on, then
// their pages go, and their bytes come back on the next touch or pin. The device must have forgotten them.
// done is called from the helper goroutine, with the number of pages that the kernel says are gone.
func (m *Memory) Evict(blocks []mem.Span, done func(pages uint64, err error)) {
	for _, s := range blocks {
		m.disown(s)
	}
	ok := m.jobs.put(func() {
		var pages uint64
		var errs []error
		for _, s := range blocks {
			errs = append(errs, m.each(s, func(b uint64) error {
				n, err := m.evict(b)
				pages += n
				return err
			}))
		}
		m.stats.evicted.Add(pages)
		done(pages, errors.Join(errs...))
	})
	if !ok {
		done(0, ErrClosed)
	}
}

// disown ends DMA to the blocks of s.
func (m *Memory) disown(s mem.Span) {
	_ = m.each(s, func(b uint64) error { m.pinned[b].Store(false); return nil })
}

// each calls f for every block of s, until one fails.
func (m *Memory) each(s mem.Span, f func(b uint64) error) error {
	if !s.Valid() || !m.inside(uint64(s.Start), s.Len) {
		return fmt.Errorf("block %s in a guest of %d bytes: %w", s, m.cfg.Size, ErrOutside)
	}
	for b := m.block(uint64(s.Start)); b <= m.block(uint64(s.End())-1); b++ {
		if err := f(b); err != nil {
			return err
		}
	}
	return nil
}

func (m *Memory) pin(b uint64) error {
	s := m.lock(b)
	s.Lock()
	defer s.Unlock()
	at := b << m.shift
	if err := m.bring(b, at, m.cfg.Block); err != nil {
		return err
	}
	if err := unix.Mlock(m.data[at : at+m.cfg.Block]); err != nil {
		return fmt.Errorf("mlock %d bytes at %#x: %w", m.cfg.Block, at, err)
	}
	m.pinned[b].Store(true)
	return nil
}

func (m *Memory) unlock(b uint64) error {
	at := b << m.shift
	return unix.Munlock(m.data[at : at+m.cfg.Block])
}

func (m *Memory) evict(b uint64) (pages uint64, err error) {
	s := m.lock(b)
	s.Lock()
	defer s.Unlock()
	if err := m.unlock(b); err != nil {
		return 0, fmt.Errorf("munlock block at %#x: %w", b<<m.shift, err)
	}
	return m.drop(b)
}

// help serves the queue until Close.
func (m *Memory) help() {
	defer close(m.done)
	for {
		f, ok := m.jobs.take()
		if !ok {
			return
		}
		f()
	}
}

// queue is an unbounded queue of work for one helper.
type queue struct {
	mu     sync.Mutex
	ready  *sync.Cond
	jobs   []func()
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.ready = sync.NewCond(&q.mu)
	return q
}

// put appends f; false: closed, f will not run.
func (q *queue) put(f func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.jobs = append(q.jobs, f)
	q.ready.Signal()
	return true
}

// take waits for the next job; false: closed, and all jobs have been taken.
func (q *queue) take() (f func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.jobs) == 0 {
		if q.closed {
			return nil, false
		}
		q.ready.Wait()
	}
	f, q.jobs = q.jobs[0], q.jobs[1:]
	return f, true
}

// close ends the queue once its jobs are done; false: it was closed before.
func (q *queue) close() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	was := q.closed
	q.closed = true
	q.ready.Signal()
	return !was
}
