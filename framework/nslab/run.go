//go:build linux

package nslab

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/sock"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"golang.org/x/sys/unix"
)

// How the end of a run is waited for, on the wall clock.
const (
	look  = time.Millisecond       // between two looks at the hosts
	drain = 2 * time.Second        // for what is outstanding when the limit stops posting
	quiet = 10 * time.Millisecond  // without a packet anywhere, until the fabric counts as empty
	still = 500 * time.Millisecond // for the fabric to become empty
)

// Run implements framework.System. Events reach the sink after the run, merged from the journals of the owner
// loops; Verify is called during it, on the loops.
func (l *Lab) Run(ctx context.Context, job framework.Job) (o *framework.Observation, err error) {
	if l.taken {
		return nil, errors.New("namespace lab is closed")
	}
	if job.Limit <= 0 {
		return nil, fmt.Errorf("limit %v: want more than 0", job.Limit)
	}
	books, err := l.open()
	defer func() {
		for _, b := range books {
			err = errors.Join(err, b.close())
		}
	}()
	if err != nil {
		return nil, err
	}
	l.links.begin()
	before, err := l.links.counts()
	if err != nil {
		return nil, err
	}
	full, err := l.overflows()
	if err != nil {
		return nil, err
	}
	jitter := sock.StartJitter()
	defer jitter.Stop()

	l.start = l.clock.Release()
	l.board.current.Store(&notice{job.Verify, l.start})
	defer l.board.current.Store(nil)
	for _, s := range l.hosts {
		if _, err := s.Call(sock.Release{}); err != nil {
			return nil, err
		}
	}
	settled, err := l.watch(ctx, job)
	ended := l.Now()
	late := jitter.Stop()
	err = errors.Join(err, l.shut())
	if err != nil {
		return nil, err
	}
	after, err := l.links.counts()
	if err != nil {
		return nil, err
	}
	overflowed, err := l.overflows()
	if err != nil {
		return nil, err
	}
	for n := range overflowed {
		overflowed[n] -= full[n]
	}
	sink := job.Sink
	if sink == nil {
		sink = event.Discard{}
	}
	flows := &doneCounter{next: sink}
	rejected, err := merge(books, l.start, flows)
	if err != nil {
		return nil, err
	}
	return &framework.Observation{
		Ended: ended, Settled: settled, Ports: l.ledger(before, after, rejected, overflowed), Jitter: late.P99, Opened: flows.done,
	}, nil
}

// doneCounter counts the flows that reached their end.
type doneCounter struct {
	next event.Sink
	done int
}

// Emit implements event.Sink.
func (c *doneCounter) Emit(e *event.Event) {
	if e.Kind == event.FlowDone {
		c.done++
	}
	c.next.Emit(e)
}

// open gives every loop a journal for this run.
func (l *Lab) open() (books []*book, err error) {
	for _, s := range l.hosts {
		b, err := newBook()
		if err != nil {
			return books, err
		}
		books = append(books, b)
		if err := s.Do(func(vtime.Time) { s.tap.book = b }); err != nil {
			return books, err
		}
	}
	return books, nil
}

// shut takes the journals off the loops when the fabric is empty.
func (l *Lab) shut() error {
	l.hush()
	var errs []error
	for _, s := range l.hosts {
		errs = append(errs, s.Do(func(vtime.Time) { s.tap.book = nil }))
	}
	return errors.Join(errs...)
}

// hush waits until no packet moves any more, so that the ledger can balance.
func (l *Lab) hush() {
	last, since := uint64(0), time.Now()
	for begin := since; time.Since(begin) < still; time.Sleep(look) {
		n, err := l.links.moved()
		if err != nil {
			return // counts says so
		}
		if n != last {
			last, since = n, time.Now()
		} else if time.Since(since) >= quiet {
			return
		}
	}
}

// watch steps the injector on time until all is settled, or the limit; then it stops the flows. The injector is
// closed when it returns, whatever happened.
func (l *Lab) watch(ctx context.Context, job framework.Job) (settled bool, err error) {
	done := make(chan struct{})
	go func() { // a thread of its own: the injector has to be on time
		defer close(done)
		runtime.LockOSThread()
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // where the kernel knows it not, waits are later, not wrong
		defer func() {
			if job.Injector != nil {
				job.Injector.Close(l.Now())
			}
			l.halt()
		}()
		settled, err = l.steps(ctx, job)
	}()
	<-done
	return settled, err
}

func (l *Lab) steps(ctx context.Context, job framework.Job) (settled bool, err error) {
	for {
		now := l.Now()
		due := vtime.Never
		if job.Injector != nil {
			if due = job.Injector.Deadline(); due <= now {
				job.Injector.Step(now)
				continue
			}
		}
		if job.Progress != nil {
			job.Progress(now)
		}
		switch {
		case ctx.Err() != nil:
			return false, fmt.Errorf("run stopped at %v: %w", now, ctx.Err())
		case due == vtime.Never && l.idle():
			return true, nil
		case now >= job.Limit:
			return false, nil
		}
		pause(min(look, due.Sub(now), job.Limit.Sub(now)))
	}
}

// pause sleeps on the calling thread; the runtime's own timers are a millisecond late.
func pause(d time.Duration) {
	t := unix.NsecToTimespec(int64(max(d, 0)))
	_, _ = unix.Ppoll(nil, &t, nil) // a signal ends it early: the caller looks at the clock
}

func (l *Lab) idle() bool {
	for _, s := range l.hosts {
		if !s.Idle() {
			return false
		}
	}
	return true
}

// halt ends posting and waits for what is outstanding, for a while.
func (l *Lab) halt() {
	for _, s := range l.hosts {
		_, _ = s.Call(sock.Stop{}) // a loop that has ended by itself says so when it is closed
	}
	for begin := time.Now(); !l.idle() && time.Since(begin) < drain; {
		pause(look)
	}
}

// count is what was counted of one direction.
type count struct {
	sent, bytes, packets, delivered, blackhole, loss, corrupted, failed uint64
}

// counts reads the counters of all directions.
func (l *links) counts() ([]count, error) {
	out := make([]count, len(l.in))
	for i := range l.in {
		s, err := l.out[i].Sent()
		if err != nil {
			return nil, err
		}
		t, err := l.in[i].Totals()
		if err != nil {
			return nil, err
		}
		out[i] = count{s.Packets, s.Bytes, t.Packets, t.Delivered, t.Blackhole, t.Loss, t.Corrupted, t.Failed}
	}
	return out, nil
}

// overflows reads, by node, how many packets the hosts' receive buffers had no room for.
func (l *Lab) overflows() (map[int32]uint64, error) {
	out := map[int32]uint64{}
	for i, s := range l.hosts {
		st, err := s.Stats()
		if err != nil {
			return nil, fmt.Errorf("counters of %s: %w", l.plant.graph.Nodes[i].Name, err)
		}
		out[int32(i)] = st.Overflow
	}
	return out, nil
}

// moved is a number that moves when any packet does.
func (l *links) moved() (n uint64, err error) {
	all, err := l.counts()
	for _, c := range all {
		n += c.sent + c.packets
	}
	return n, err
}

// ledger makes the ledger of every direction of a run. A packet that its receiver's ICRC rejected was not delivered:
// it is charged to a direction that reached that host. So is what its full socket dropped.
func (l *Lab) ledger(before, after []count, rejected, overflowed map[int32]uint64) []framework.Port {
	ports := make([]framework.Port, len(after))
	for i := range ports {
		b, a := before[i], after[i]
		p := framework.Port{
			Dir: fabric.Dir(i), Sent: a.sent - b.sent, Bytes: a.bytes - b.bytes,
			Delivered: a.delivered - b.delivered, Corrupted: a.corrupted - b.corrupted,
		}
		p.Dropped[event.DropBlackhole] = a.blackhole - b.blackhole
		p.Dropped[event.DropLoss] = a.loss - b.loss
		seen := a.packets - b.packets
		missing := p.Sent - min(p.Sent, seen)
		p.Dropped[event.DropDown] = min(missing, l.links.takenDown(p.Dir, b.sent-min(b.sent, b.packets)))
		p.Dropped[event.DropKernel] = missing - p.Dropped[event.DropDown]
		to := l.plant.graph.To(p.Dir)
		if n := min(rejected[int32(to)], p.Delivered); n > 0 && l.plant.graph.Nodes[to].Host() {
			p.Dropped[event.DropICRC], p.Delivered = n, p.Delivered-n
			rejected[int32(to)] -= n
		}
		if n := min(overflowed[int32(to)], p.Delivered); n > 0 && l.plant.graph.Nodes[to].Host() {
			p.Dropped[event.DropKernel] += n
			p.Delivered -= n
			overflowed[int32(to)] -= n
		}
		ports[i] = p
	}
	return ports
}
