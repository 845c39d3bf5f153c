//go:build linux

package hostmem

import (
	"errors"
	"fmt"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/stellarlab/stellarlab/datapath/host"
)

// ErrStuck is what Evict returns where the kernel keeps pages that should have gone.
var ErrStuck = errors.New("pages not evicted")

// ErrUnpinned is what a DMA to a block that is not pinned returns, after event.BadAccess.
var ErrUnpinned = errors.New("memory not pinned")

// ErrOutside is what an access beyond the guest's memory returns.
var ErrOutside = errors.New("outside guest memory")

// ErrClosed is what is answered after Close.
var ErrClosed = errors.New("guest memory closed")

// guard runs f, which touches guest memory, and turns the signal that an absent page raises into
// host.ErrAbsent. A fault anywhere else stays a crash.
func (m *Memory) guard(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		at, ok := r.(interface{ Addr() uintptr })
		base := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
		if !ok || at.Addr() < base || at.Addr()-base >= uintptr(len(m.data)) {
			panic(r)
		}
		m.stats.refused.Add(1)
		err = fmt.Errorf("page at %#x: %w", (at.Addr()-base)&^(Page-1), host.ErrAbsent)
	}()
	f()
	return nil
}

// move copies where either side is guest memory.
func (m *Memory) move(dst, src []byte) error {
	return m.guard(func() { copy(dst, src) })
}

// touch reads one byte of every page of b, so that a copy of it afterwards moves all bytes or none.
func touch(b []byte) (sum byte) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	for i := uintptr(0); i < uintptr(len(b)); i += Page - (at+i)%Page {
		sum += b[i]
	}
	return sum
}

// mincore is the system call; x/sys has no wrapper.
func mincore(b, vec []byte) error {
	_, _, e := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
		uintptr(unsafe.Pointer(unsafe.SliceData(vec))))
	if e != 0 {
		return e
	}
	return nil
}
