//go:build linux

package sock

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// ErrClosed is what calls on a closed loop return.
var ErrClosed = errors.New("device loop closed")

// Loop is the owner of one device: the only goroutine that calls it. Everything else is a message to it. Its
// methods are safe for concurrent use.
type Loop struct {
	cfg   Config
	mem   Memory
	sock  sockets
	bell  doorbell
	stats stats
	idle  atomic.Bool // the device's word after the last step

	// The owner goroutine's alone.
	dev   Device
	in    *inbound
	out   *outbound
	later later
	spare []message // what mail was last time, to be used again

	mu       sync.Mutex
	mail     []message   // not yet taken by the loop
	closed   bool        // nothing more is taken
	released bool        // the descriptors are closed
	rung     atomic.Bool // there is mail, or the end

	done chan struct{}
	err  error // why the loop ended by itself; read after done
}

// message is something for the loop to do with its device.
type message func(now vtime.Time)

// Start opens the sockets of a device and starts its loop. The loop owns dev until Close; mem stays the
// caller's, and is to be closed after the loop.
func Start(cfg Config, dev Device, m Memory) (*Loop, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("device loop: %w", err)
	}
	l := &Loop{cfg: cfg.filled(), dev: dev, mem: m, done: make(chan struct{})}
	if err := l.open(); err != nil {
		return nil, fmt.Errorf("device loop %v: %w", cfg.Addr, err)
	}
	go l.run()
	return l, nil
}

// Do has the loop call f with lab time, between two steps of the device, and waits for it. f may use the
// device, must not block and must not keep it. What it needs of the device's state, it copies.
func (l *Loop) Do(f func(now vtime.Time)) error {
	ran := make(chan struct{})
	if err := l.post(func(now vtime.Time) { f(now); l.idle.Store(l.dev.Idle()); close(ran) }); err != nil {
		return err
	}
	select {
	case <-ran:
		return nil
	case <-l.done:
		select {
		case <-ran:
			return nil
		default:
			return errors.Join(ErrClosed, l.err)
		}
	}
}

// Evict has the device forget blocks, and then the memory drop them. It returns how many pages the kernel
// says are gone, of those blocks that the device had pinned.
func (l *Loop) Evict(blocks []mem.Span) (pages uint64, err error) {
	type result struct {
		pages uint64
		err   error
	}
	answer := make(chan result, 1)
	err = l.Do(func(now vtime.Time) {
		var gone []mem.Span
		for _, r := range l.dev.Evict(now, blocks) {
			gone = append(gone, r.Block)
		}
		l.mem.Evict(gone, func(pages uint64, err error) { answer <- result{pages, err} })
	})
	if err != nil {
		return 0, err
	}
	r := <-answer
	return r.pages, r.err
}

// Idle says that all flows of the device are done, as of its last step. It does not disturb the loop.
func (l *Loop) Idle() bool { return l.idle.Load() }

// Stats reads the loop's own counters; after Close they are final.
func (l *Loop) Stats() (Stats, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats.read(&l.sock)
}

// Close stops the loop and waits for it, then closes its sockets. Packets still to be sent are not. Closing
// twice is success.
func (l *Loop) Close() error {
	l.mu.Lock()
	l.closed = true
	if !l.released && !l.rung.Swap(true) {
		l.bell.ring()
	}
	l.mu.Unlock()
	<-l.done
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return nil
	}
	l.released = true
	_, err := l.stats.read(&l.sock)
	return errors.Join(l.err, err, l.sock.close(), l.bell.close())
}

// post leaves a message for the loop.
func (l *Loop) post(m message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.mail = append(l.mail, m)
	if !l.rung.Swap(true) {
		l.bell.ring()
	}
	return nil
}
