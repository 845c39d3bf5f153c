//go:build linux

package hostmem

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// Page is the size of a page of guest memory, bytes: mem.Page, which is what the kernel's must be.
const Page = mem.Page

// stripes is the number of locks that guard blocks; a block belongs to the stripe of its number.
const stripes = 256

// Config describes one guest's memory.
type Config struct {
	Node  int32      // graph id of the host, for events
	Size  uint64     // bytes, a multiple of Block
	Block uint64     // bytes: what is pinned and evicted as one; a power of two, at least Page
	Sink  event.Sink // gets Placed and BadAccess from the owner loop; nil: none
	Plain bool       // do without userfaultfd even where it is there: absence is then known from the own record only
}

// Validate says which field is wrong and what would be right.
func (c *Config) Validate() error {
	var errs []error
	if c.Block < Page || c.Block&(c.Block-1) != 0 {
		errs = append(errs, fmt.Errorf("block of %d bytes: Block must be a power of two, at least %d", c.Block, Page))
	} else if c.Size == 0 || c.Size%c.Block != 0 {
		errs = append(errs, fmt.Errorf("memory of %d bytes: Size must be a multiple of Block, %d", c.Size, c.Block))
	}
	return errors.Join(errs...)
}

// Memory is one guest's memory. It implements host.Bus for the one owner loop of its device, and host.Guest
// for anybody; Pin, Unpin and Evict are for the owner loop and answer from a helper goroutine.
//
// A page is absent (a hole in the memfd, or held: evicted with its bytes kept here) or present. A block is
// pinned while all its pages are present and locked. The host physical address of a byte is its offset in
// the memfd, which is also its guest physical address.
type Memory struct {
	cfg    Config
	fd     int    // memfd
	uffd   int    // -1: plain
	data   []byte // the mapping, whole
	shift  uint   // log2 of Block
	locks  [stripes]stripe
	here   []bool        // per page: present; guarded by the block's stripe
	pinned []atomic.Bool // per block: written by loop and helper, read by the loop

	jobs  *queue
	done  chan struct{}
	stats tally
	why   error // uffd could not be had

	event  event.Event     // reused by emit, on the owner loop
	bounce [bounces][]byte // of Read over more than one piece, used in turn
	turn   int
	sum    byte // keeps the touches of reach from being optimised away
}

// stripe is a lock with its own cache line, and the evicted bytes of its blocks. Who holds it for reading
// may touch pages that are here, who holds it for writing makes them come and go.
type stripe struct {
	sync.RWMutex
	held map[uint64][]run // by block
	_    [32]byte
}

// run is a stretch of evicted memory.
type run struct {
	at    uint64 // offset in the memfd
	bytes []byte
}

// Open makes the memory, all pages absent, and starts its helper. It fails where memfd is missing; where
// userfaultfd is, it works from its own record of absent pages: see Watched.
func Open(cfg Config) (*Memory, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("guest memory: %w", err)
	}
	m := &Memory{cfg: cfg, fd: -1, uffd: -1, jobs: newQueue(), done: make(chan struct{})}
	if err := m.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("guest memory of %d bytes: %w", cfg.Size, err), m.free())
	}
	go m.help()
	return m, nil
}

// open makes the kernel objects.
func (m *Memory) open() (err error) {
	if m.fd, err = unix.MemfdCreate("stl-guest", unix.MFD_CLOEXEC); err != nil {
		m.fd = -1
		return fmt.Errorf("memfd_create: %w", err)
	}
	if err := unix.Ftruncate(m.fd, int64(m.cfg.Size)); err != nil {
		return fmt.Errorf("ftruncate: %w", err)
	}
	m.data, err = unix.Mmap(m.fd, 0, int(m.cfg.Size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return fmt.Errorf("mmap: %w", err)
	}
	// One block must be able to go without its neighbours.
	if err := unix.Madvise(m.data, unix.MADV_NOHUGEPAGE); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("madvise: %w", err)
	}
	if !m.cfg.Plain {
		if m.uffd, err = watch(m.data); err != nil {
			m.uffd = -1
			m.why = err
		}
	}
	blocks := m.cfg.Size / m.cfg.Block
	for 1<<m.shift < m.cfg.Block {
		m.shift++
	}
	m.here = make([]bool, m.cfg.Size/Page)
	m.pinned = make([]atomic.Bool, blocks)
	return nil
}

// Watched says whether userfaultfd stands behind the record; if not, why.
func (m *Memory) Watched() (bool, error) { return m.uffd >= 0, m.why }

// Close waits for the helper, and gives the memory back. The device must have stopped. Closing twice is
// success.
func (m *Memory) Close() error {
	if !m.jobs.close() {
		<-m.done
		return nil
	}
	<-m.done
	for i := range m.locks {
		m.locks[i].Lock()
		defer m.locks[i].Unlock()
	}
	return m.free()
}

// free gives back what open made, in reverse.
func (m *Memory) free() error {
	var errs []error
	if m.data != nil {
		errs = append(errs, unix.Munmap(m.data))
		m.data = nil
	}
	if m.uffd >= 0 {
		errs = append(errs, unix.Close(m.uffd))
		m.uffd = -1
	}
	if m.fd >= 0 {
		errs = append(errs, unix.Close(m.fd))
		m.fd = -1
	}
	return errors.Join(errs...)
}

// block returns the block number of an address.
func (m *Memory) block(at uint64) uint64 { return at >> m.shift }

// lock returns the stripe of block b.
func (m *Memory) lock(b uint64) *stripe { return &m.locks[b%stripes] }

// inside says that n bytes at a lie in the memory.
func (m *Memory) inside(at, n uint64) bool { return at <= m.cfg.Size && n <= m.cfg.Size-at }
