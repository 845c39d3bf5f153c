//go:build linux

package sock_test

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/hostmem"
	"github.com/stellarlab/stellarlab/datapath/sock"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const block = 1 << 20

// rig is a sender and a receiver over a pair, their memory pinned whole.
type rig struct {
	*pair
	clock *sock.Clock
	dev   [2]*fake
	mem   [2]*hostmem.Memory
	loop  [2]*sock.Loop
}

// newRig builds one whose packets carry size bytes, from memory of blocks blocks.
func newRig(t testing.TB, size, window uint32, blocks uint64) *rig {
	t.Helper()
	r := &rig{pair: newPair(t), clock: sock.NewClock()}
	for i := range r.dev {
		m, err := hostmem.Open(hostmem.Config{Node: int32(i), Size: blocks * block, Block: block})
		if err != nil {
			t.Fatal(err)
		}
		a, b := addrs[i].As4(), addrs[1-i].As4()
		r.mem[i] = m
		r.dev[i] = &fake{
			bus: m, src: binary.BigEndian.Uint32(a[:]), dst: binary.BigEndian.Uint32(b[:]),
			size: size, window: window, span: blocks * block / uint64(size) * uint64(size),
			ticked: make(chan vtime.Time, 1),
		}
		t.Cleanup(func() {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	for i := range r.dev {
		l, err := sock.Start(sock.Config{
			Addr: addrs[i], Clock: r.clock, MTU: 8192, Within: r.within(i),
		}, r.dev[i], r.mem[i])
		if err != nil {
			t.Fatal(err)
		}
		r.loop[i] = l
		t.Cleanup(func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
		r.pin(t, i, mem.Span{Len: blocks * block})
	}
	return r
}

// pin asks for a block as the device would, through the loop, and waits for the answer.
func (r *rig) pin(t testing.TB, i int, s mem.Span) {
	t.Helper()
	r.do(t, i, func(vtime.Time) {
		r.dev[i].answers = nil
		r.dev[i].requests = append(r.dev[i].requests, host.Request{Kind: host.Pin, Ticket: 1, Block: s})
	})
	for answered := false; !answered; {
		r.do(t, i, func(vtime.Time) { answered = len(r.dev[i].answers) > 0 })
	}
	r.do(t, i, func(vtime.Time) {
		if a := r.dev[i].answers[0]; a.Err != nil || a.Ticket != 1 {
			t.Errorf("pin %s: %+v", s, a)
		}
	})
}

func (r *rig) do(t testing.TB, i int, f func(now vtime.Time)) {
	t.Helper()
	if err := r.loop[i].Do(f); err != nil {
		t.Fatal(err)
	}
}

// stream sends n more packets and waits until all are acknowledged.
func (r *rig) stream(t testing.TB, n uint32) {
	t.Helper()
	done := make(chan struct{})
	r.do(t, 0, func(vtime.Time) {
		d := r.dev[0]
		d.count += n
		d.done, d.ended = done, false
	})
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		r.do(t, 0, func(vtime.Time) {
			t.Errorf("sent %d acked %d of %d, %v", r.dev[0].sent, r.dev[0].acked, r.dev[0].count, r.dev[0].fault)
		})
		r.do(t, 1, func(vtime.Time) { t.Errorf("placed %d, %v", r.dev[1].placed, r.dev[1].fault) })
		t.FailNow()
	}
}

func TestBytesArriveWhereTheyBelong(t *testing.T) {
	const size, tag = 4096, 99
	r := newRig(t, size, 256, 16)
	if err := r.mem[0].Fill(0, 16*block, tag); err != nil {
		t.Fatal(err)
	}
	r.stream(t, 16*block/size)
	if bad, first, err := r.mem[1].Check(0, 16*block, tag); bad != 0 || err != nil {
		t.Errorf("%d bytes differ from %#x on, %v", bad, uint64(first), err)
	}
	for i, l := range r.loop {
		s, err := l.Stats()
		if err != nil || s.Rejected+s.Full+s.Unroutable+s.Overflow > 0 {
			t.Errorf("loop %d: %+v, %v", i, s, err)
		}
	}
}

func TestOddSizesArrive(t *testing.T) {
	for _, size := range []uint32{1, 255, 1023, 8191, 8192} {
		r := newRig(t, size, 64, 1)
		n := uint64(size) * min(1000, block/uint64(size))
		if err := r.mem[0].Fill(0, n, 5); err != nil {
			t.Fatal(err)
		}
		r.stream(t, uint32(n/uint64(size)))
		if bad, first, err := r.mem[1].Check(0, n, 5); bad != 0 || err != nil {
			t.Errorf("size %d: %d bytes differ from %#x on, %v", size, bad, uint64(first), err)
		}
	}
}

func TestDeadlineIsKept(t *testing.T) {
	r := newRig(t, 64, 1, 1)
	for _, d := range []time.Duration{50 * time.Microsecond, time.Millisecond, 20 * time.Millisecond} {
		var at vtime.Time
		r.do(t, 0, func(now vtime.Time) { at = now.Add(d); r.dev[0].tick = at })
		if got := <-r.dev[0].ticked; got < at {
			t.Errorf("tick at %v, before its deadline %v", got, at)
		}
	}
}

// TestIdleLoopSleeps wants a loop that has nothing to do for a while to be asleep, before release and after.
func TestIdleLoopSleeps(t *testing.T) {
	r := newRig(t, 64, 1, 1)
	for _, state := range []string{"before release", "after release"} {
		for _, wait := range []time.Duration{0, 200 * time.Millisecond} { // the first settles what came before
			var before, after sock.Stats
			var err, err2 error
			r.do(t, 0, func(now vtime.Time) { r.dev[0].tick = now.Add(wait + time.Millisecond) })
			before, err = r.loop[1].Stats()
			<-r.dev[0].ticked
			after, err2 = r.loop[1].Stats()
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if n := after.Turns - before.Turns; wait > 0 && n > 200 {
				t.Errorf("%s: an idle loop took %d turns in %v", state, n, wait)
			}
		}
		r.clock.Release()
	}
}

func TestFetchIsAnsweredWhenDue(t *testing.T) {
	r := newRig(t, 64, 1, 1)
	var start vtime.Time
	r.do(t, 0, func(now vtime.Time) {
		start = now
		r.dev[0].answers = nil
		for i, d := range []time.Duration{3 * time.Millisecond, time.Millisecond, time.Millisecond} {
			r.dev[0].requests = append(r.dev[0].requests, host.Request{Kind: host.Fetch, Ticket: uint64(i), Cost: d})
		}
	})
	var order []uint64
	for len(order) < 3 {
		r.do(t, 0, func(now vtime.Time) {
			for _, a := range r.dev[0].answers[len(order):] {
				order = append(order, a.Ticket)
			}
			if len(order) > 0 && now.Sub(start) < time.Millisecond || len(order) == 3 && now.Sub(start) < 3*time.Millisecond {
				t.Errorf("%v answered after %v", order, now.Sub(start))
			}
		})
	}
	if order[0] != 1 || order[1] != 2 || order[2] != 0 {
		t.Errorf("answered in order %v, want 1 2 0", order)
	}
}

func TestEvictionComesBack(t *testing.T) {
	r := newRig(t, 4096, 16, 2)
	if err := r.mem[0].Fill(0, 2*block, 5); err != nil {
		t.Fatal(err)
	}
	second := mem.Span{Start: block, Len: block}
	n, err := r.loop[0].Evict([]mem.Span{second})
	if n != block/hostmem.Page || err != nil {
		t.Errorf("evicted %d pages, %v, want %d", n, err, block/hostmem.Page)
	}
	r.pin(t, 0, second)
	r.stream(t, 2*block/4096)
	if bad, first, err := r.mem[1].Check(0, 2*block, 5); bad != 0 || err != nil {
		t.Errorf("%d bytes differ from %#x on, %v", bad, uint64(first), err)
	}
}

func TestClosedLoopSaysSo(t *testing.T) {
	r := newRig(t, 64, 1, 1)
	if err := errors.Join(r.loop[0].Close(), r.loop[0].Close()); err != nil {
		t.Fatal(err)
	}
	if err := r.loop[0].Do(func(vtime.Time) { t.Error("ran after close") }); !errors.Is(err, sock.ErrClosed) {
		t.Errorf("%v, want %v", err, sock.ErrClosed)
	}
	if _, err := r.loop[0].Evict(nil); !errors.Is(err, sock.ErrClosed) {
		t.Errorf("%v, want %v", err, sock.ErrClosed)
	}
	if _, err := r.loop[0].Stats(); err != nil {
		t.Error(err)
	}
}

func TestConfigNamesTheWrongField(t *testing.T) {
	_, err := sock.Start(sock.Config{Addr: netip.MustParseAddr("::1"), MTU: 100, Batch: -1, Nap: -1}, nil, nil)
	for _, want := range []string{"Addr", "Clock", "payloads of 100", "batches of -1", "nap -1ns"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestClockIsNegativeUntilReleased(t *testing.T) {
	c := sock.NewClock()
	if now := c.Now(); now >= 0 {
		t.Errorf("%v before release, want a negative instant", now)
	}
	if at := c.Release(); at != 0 {
		t.Errorf("released at %v, want 0", at)
	}
	first := c.Now()
	if second := c.Release(); first < 0 || second < first || c.Now() < second {
		t.Errorf("clock went from %v to %v", first, second)
	}
}
