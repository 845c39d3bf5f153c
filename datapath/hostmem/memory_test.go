//go:build linux

package hostmem_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/hostmem"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
)

const block = 64 << 10

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// log keeps events.
type log []event.Event

func (l *log) Emit(e *event.Event) { *l = append(*l, *e) }

// modes runs f with userfaultfd, where it is, and without.
func modes(t *testing.T, f func(t *testing.T, m *hostmem.Memory, l *log)) {
	for _, plain := range []bool{false, true} {
		name := "watched"
		if plain {
			name = "plain"
		}
		t.Run(name, func(t *testing.T) {
			l := &log{}
			m, err := hostmem.Open(hostmem.Config{Node: 7, Size: 64 * block, Block: block, Sink: l, Plain: plain})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			})
			if ok, why := m.Watched(); !ok && !plain {
				t.Skipf("needs userfaultfd: %v", why)
			}
			f(t, m, l)
		})
	}
}

func span(b uint64) mem.Span { return mem.Span{Start: mem.GPA(b * block), Len: block} }

func pin(t *testing.T, m *hostmem.Memory, b uint64) {
	t.Helper()
	c := make(chan host.Answer, 1)
	m.Pin(host.Request{Kind: host.Pin, Ticket: 5, Block: span(b)}, func(a host.Answer) { c <- a })
	if a := <-c; a.Err != nil || a.Ticket != 5 || a.HPA != mem.HPA(b*block) {
		t.Fatalf("pin block %d: %+v", b, a)
	}
}

func evict(t *testing.T, m *hostmem.Memory, blocks ...uint64) uint64 {
	t.Helper()
	var spans []mem.Span
	for _, b := range blocks {
		spans = append(spans, span(b))
	}
	type result struct {
		pages uint64
		err   error
	}
	c := make(chan result, 1)
	m.Evict(spans, func(pages uint64, err error) { c <- result{pages, err} })
	r := <-c
	if r.err != nil {
		t.Fatalf("evict: %v", r.err)
	}
	return r.pages
}

func seg(at, n uint64) []mem.Segment { return []mem.Segment{{HPA: mem.HPA(at), Len: uint32(n)}} }

func TestBytesSurviveEviction(t *testing.T) {
	modes(t, func(t *testing.T, m *hostmem.Memory, _ *log) {
		pin(t, m, 3)
		want := bytes.Repeat([]byte("stellar!"), 1024)
		if err := m.Write(1, seg(3*block+100, 8192), &mem.Payload{Len: 8192, Bytes: want}); err != nil {
			t.Fatal(err)
		}
		if n := evict(t, m, 3); n != block/hostmem.Page {
			t.Errorf("evicted %d pages of a pinned block, want all %d", n, block/hostmem.Page)
		}
		if n := evict(t, m, 3); n != 0 {
			t.Errorf("evicted %d pages of a block that is gone, want 0", n)
		}
		pin(t, m, 3)
		var p mem.Payload
		if err := m.Read(2, seg(3*block+100, 8192), &p); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p.Bytes, want) {
			t.Error("the bytes did not come back")
		}
		if err := m.Read(2, seg(3*block, 100), &p); err != nil || !bytes.Equal(p.Bytes, make([]byte, 100)) {
			t.Errorf("untouched bytes: %v %v", p.Bytes, err)
		}
	})
}

func TestApplicationTouchBringsBytesBack(t *testing.T) {
	modes(t, func(t *testing.T, m *hostmem.Memory, _ *log) {
		const at, n, tag = 5*block - 3000, 9000, 77
		if err := m.Fill(at, n, tag); err != nil {
			t.Fatal(err)
		}
		if n := evict(t, m, 4, 5, 6); n != 3 {
			t.Errorf("evicted %d pages, want the 3 that were touched", n)
		}
		bad, first, err := m.Check(at, n, tag)
		if bad != 0 || err != nil {
			t.Errorf("%d bytes differ from %#x, %v", bad, first, err)
		}
	})
}

func TestCheckCountsEveryBadByte(t *testing.T) {
	modes(t, func(t *testing.T, m *hostmem.Memory, _ *log) {
		const at, n, tag = block - 50, 200, 9
		if err := m.Fill(at, n, tag); err != nil {
			t.Fatal(err)
		}
		pin(t, m, 1)
		var p mem.Payload
		if err := m.Read(0, seg(block, 200), &p); err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{3, 4, 90} {
			p.Bytes[i] ^= 1
		}
		bad, first, err := m.Check(at, n, tag)
		if bad != 3 || first != block+3 || err != nil {
			t.Errorf("bad %d first %#x err %v, want 3 from %#x", bad, uint64(first), err, block+3)
		}
	})
}

func TestUnpinnedAccessIsBad(t *testing.T) {
	modes(t, func(t *testing.T, m *hostmem.Memory, l *log) {
		pin(t, m, 2)
		*l = nil
		var p mem.Payload
		err := m.Read(9, seg(3*block-8, 16), &p) // its second half is in a block that nobody pinned
		if !errors.Is(err, hostmem.ErrUnpinned) {
			t.Errorf("read: %v, want %v", err, hostmem.ErrUnpinned)
		}
		err = m.Write(9, seg(64*block-8, 16), &mem.Payload{Len: 16, Tag: 1})
		if !errors.Is(err, hostmem.ErrOutside) {
			t.Errorf("write: %v, want %v", err, hostmem.ErrOutside)
		}
		m.Unpin(host.Request{Kind: host.Unpin, Block: span(2)})
		err = m.Write(9, seg(2*block, 16), &mem.Payload{Len: 16, Tag: 1})
		if !errors.Is(err, hostmem.ErrUnpinned) {
			t.Errorf("write: %v, want %v", err, hostmem.ErrUnpinned)
		}
		want := log{
			{At: 9, Kind: event.BadAccess, Node: 7, A: uint64(event.BadUnpinned), B: 3*block - 8, C: 16},
			{At: 9, Kind: event.BadAccess, Node: 7, A: uint64(event.BadOutside), B: 64*block - 8, C: 16},
			{At: 9, Kind: event.BadAccess, Node: 7, A: uint64(event.BadUnpinned), B: 2 * block, C: 16},
		}
		if len(*l) != len(want) || (*l)[0] != want[0] || (*l)[1] != want[1] || (*l)[2] != want[2] {
			t.Errorf("events %+v, want %+v", *l, want)
		}
	})
}

func TestPlacedIsEmittedPerSegment(t *testing.T) {
	modes(t, func(t *testing.T, m *hostmem.Memory, l *log) {
		pin(t, m, 0)
		pin(t, m, 8)
		*l = nil
		segs := append(seg(block-8, 8), seg(8*block, 24)...)
		if err := m.Write(4, segs, &mem.Payload{Len: 32, Tag: 3, Off: 40}); err != nil {
			t.Fatal(err)
		}
		want := log{
			{At: 4, Kind: event.Placed, Node: 7, A: block - 8, B: 8, C: block - 8},
			{At: 4, Kind: event.Placed, Node: 7, A: 8 * block, B: 24, C: 8 * block},
		}
		if len(*l) != 2 || (*l)[0] != want[0] || (*l)[1] != want[1] {
			t.Errorf("events %+v, want %+v", *l, want)
		}
		var p mem.Payload
		if err := m.Read(4, segs, &p); err != nil || mem.Mismatch(p.Bytes, 3, 40) >= 0 || p.Len != 32 {
			t.Errorf("scattered read: %+v %v", p, err)
		}
	})
}

// TestVanishedPageIsAbsent takes pinned pages away behind the memory's back, as a kernel would that breaks its
// word, and wants an error from every access, never zeros.
func TestVanishedPageIsAbsent(t *testing.T) {
	l := &log{}
	m, err := hostmem.Open(hostmem.Config{Size: 4 * block, Block: block, Sink: l})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	if ok, why := m.Watched(); !ok {
		t.Skipf("needs userfaultfd: %v", why)
	}
	pin(t, m, 1)
	if err := m.Write(1, seg(block, 8192), &mem.Payload{Len: 8192, Tag: 5}); err != nil {
		t.Fatal(err)
	}
	if err := hostmem.Punch(m, block+4096, 4096); err != nil {
		t.Fatal(err)
	}
	*l = nil
	var p mem.Payload
	if err := m.Read(1, seg(block, 8192), &p); !errors.Is(err, host.ErrAbsent) {
		t.Errorf("read: %v, want %v", err, host.ErrAbsent)
	}
	if err := m.Write(1, seg(block, 8192), &mem.Payload{Len: 8192, Tag: 6}); !errors.Is(err, host.ErrAbsent) {
		t.Errorf("write: %v, want %v", err, host.ErrAbsent)
	}
	if _, _, err := m.Check(block+4096, 16, 5); !errors.Is(err, host.ErrAbsent) {
		t.Errorf("check: %v, want %v", err, host.ErrAbsent)
	}
	if bad, _, err := m.Check(block, 4096, 5); bad != 0 || err != nil {
		t.Errorf("a refused write moved %d bytes, %v", bad, err)
	}
	if len(*l) != 0 {
		t.Errorf("events %+v of refused accesses, want none", *l)
	}
	if n := m.Stats().Refused; n != 3 {
		t.Errorf("%d refused accesses, want 3", n)
	}
}

func TestCloseGivesMemoryBack(t *testing.T) {
	before := locked(t)
	m, err := hostmem.Open(hostmem.Config{Size: 4 * block, Block: block})
	if err != nil {
		t.Fatal(err)
	}
	pin(t, m, 0)
	if n := locked(t) - before; n != block>>10 {
		t.Errorf("%d KiB locked after one pin, want %d", n, block>>10)
	}
	if n := m.Stats().Pinned; n != block {
		t.Errorf("%d bytes pinned, want %d", n, block)
	}
	if err := errors.Join(m.Close(), m.Close()); err != nil {
		t.Fatal(err)
	}
	if n := locked(t); n != before {
		t.Errorf("%d KiB locked after close, want %d", n, before)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(maps), "stl-guest") {
		t.Error("the guest is still mapped")
	}
	c := make(chan host.Answer, 1)
	m.Pin(host.Request{Block: span(0)}, func(a host.Answer) { c <- a })
	if a := <-c; !errors.Is(a.Err, hostmem.ErrClosed) {
		t.Errorf("pin after close: %v, want %v", a.Err, hostmem.ErrClosed)
	}
	if err := m.Fill(0, 10, 1); !errors.Is(err, hostmem.ErrClosed) {
		t.Errorf("fill after close: %v, want %v", err, hostmem.ErrClosed)
	}
}

// locked is VmLck of this process, KiB.
func locked(t *testing.T) (kib int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); f[0] == "VmLck:" {
			for _, c := range f[1] {
				kib = kib*10 + int(c-'0')
			}
			return kib
		}
	}
	t.Fatal("no VmLck in /proc/self/status")
	return 0
}

func TestConfigNamesTheWrongField(t *testing.T) {
	for _, c := range []struct {
		cfg  hostmem.Config
		want string
	}{
		{hostmem.Config{Size: 8192, Block: 3000}, "block of 3000 bytes"},
		{hostmem.Config{Size: 5000, Block: 4096}, "memory of 5000 bytes"},
		{hostmem.Config{Block: 4096}, "memory of 0 bytes"},
	} {
		if _, err := hostmem.Open(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.cfg, err, c.want)
		}
	}
}
