//go:build linux

package sock

import (
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sys/unix"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

const (
	// early is how long before a deadline a sleep ends: a wake-up takes about that long, the rest is spun.
	early = 15 * time.Microsecond
	// spins is how many turns without work a loop takes at most before it sleeps whatever the deadline says.
	spins = 64
)

// open makes the descriptors and buffers.
func (l *Loop) open() (err error) {
	if l.bell, err = newDoorbell(); err != nil {
		return err
	}
	within := l.cfg.Within
	if within == nil {
		within = func(f func() error) error { return f() }
	}
	if err := within(func() (err error) { l.sock, err = openSockets(&l.cfg); return err }); err != nil {
		return errors.Join(err, l.bell.close())
	}
	l.in = newInbound(&l.cfg)
	l.out = newOutbound(&l.cfg)
	return nil
}

// run is the owner loop: feed the device, serve its requests, pull its packets, wait.
func (l *Loop) run() {
	defer close(l.done)
	own()
	var idle int // turns without work
	worked := l.cfg.Clock.Now()
	for {
		l.stats.turns.Add(1)
		now := l.cfg.Clock.Now()
		mail, open := l.take(now)
		if !open {
			return
		}
		received, err := l.receive()
		if err != nil {
			l.fail(fmt.Errorf("receive: %w", err))
			return
		}
		now = l.cfg.Clock.Now()
		ticked := l.tick(now)
		l.serve(now)
		sent, err := l.send(now)
		if err != nil {
			l.fail(fmt.Errorf("send: %w", err))
			return
		}
		l.serve(now)
		if mail || received > 0 || sent > 0 || ticked {
			worked, idle = now, 0
			l.idle.Store(l.dev.Idle())
			if received == l.cfg.Batch || sent == l.cfg.Batch {
				continue
			}
		}
		idle++
		if err := l.rest(now, now.Sub(worked), idle); err != nil {
			l.fail(fmt.Errorf("wait: %w", err))
			return
		}
	}
}

// fail ends the loop by itself: err is what Close returns.
func (l *Loop) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.err = err
}

// take runs the messages that were left. open is false once the loop is to end.
func (l *Loop) take(now vtime.Time) (some, open bool) {
	if !l.rung.Load() {
		return false, true
	}
	l.mu.Lock()
	l.bell.hush() // under the lock, as the ringing is: a bell that rings on would keep the loop from sleeping
	mail, closed := l.mail, l.closed
	l.mail, l.spare = l.spare[:0], nil
	l.rung.Store(false)
	l.mu.Unlock()
	for i, m := range mail {
		m(now)
		mail[i] = nil
	}
	l.spare = mail
	return len(mail) > 0, !closed
}

// tick tells the device the time when it asked for that, and gives it the answers that are due.
func (l *Loop) tick(now vtime.Time) (due bool) {
	for {
		a, ok := l.later.take(now)
		if !ok {
			break
		}
		l.dev.Answer(now, a)
		due = true
	}
	if at := l.dev.Deadline(); at <= now {
		if late := int64(now.Sub(at)); at > 0 && late > l.stats.late.Load() {
			l.stats.late.Store(late)
		}
		l.dev.Tick(now)
		due = true
	}
	return due
}

// serve passes the device's requests on.
func (l *Loop) serve(now vtime.Time) {
	for {
		r, ok := l.dev.Request(now)
		if !ok {
			return
		}
		switch r.Kind {
		case host.Pin:
			l.mem.Pin(r, l.answer)
		case host.Unpin:
			l.mem.Unpin(r)
		case host.Fetch:
			l.later.put(now.Add(r.Cost), host.Answer{Ticket: r.Ticket})
		}
	}
}

// answer brings an answer of the memory to the loop. After Close nobody waits for it.
func (l *Loop) answer(a host.Answer) {
	_ = l.post(func(now vtime.Time) { l.dev.Answer(now, a) })
}

// rest sleeps until there may be something to do. A loop that was busy a moment ago naps without watching
// its socket, so that a stream of packets costs one wake-up per nap and not one each; then it blocks.
func (l *Loop) rest(now vtime.Time, quiet time.Duration, idle int) error {
	d := time.Duration(math.MaxInt64)
	if at := min(l.dev.Deadline(), l.later.next()); at != vtime.Never { // minus a negative now, Never would wrap
		d = at.Sub(now)
	}
	if d <= early && idle < spins {
		return nil
	}
	fds := [2]unix.PollFd{{Fd: int32(l.bell.fd), Events: unix.POLLIN}, {Fd: int32(l.sock.rx), Events: unix.POLLIN}}
	if quiet < l.cfg.Awake || d <= early {
		return wait(fds[:1], max(min(l.cfg.Nap, d-early), early))
	}
	return wait(fds[:], d-early)
}
