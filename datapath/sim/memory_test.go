package sim_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/sim"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"pgregory.net/rapid"
)

// keeper keeps events.
type keeper []event.Event

// Emit implements event.Sink.
func (k *keeper) Emit(e *event.Event) { *k = append(*k, *e) }

func memory(t *testing.T, size, block uint64) (*sim.Memory, *keeper) {
	t.Helper()
	k := &keeper{}
	m, err := sim.NewMemory(sim.MemoryConfig{Node: 3, Size: size, Block: block, Sink: k})
	if err != nil {
		t.Fatal(err)
	}
	return m, k
}

// TestMemoryIsBytes holds patterns, literals, evictions and block borders against an array of bytes.
func TestMemoryIsBytes(t *testing.T) {
	const block, size = 4096, 4 * 4096
	rapid.Check(t, func(rt *rapid.T) {
		m, _ := memory(t, size, block)
		ref := make([]byte, size)
		var hpa [size / block]mem.HPA
		pin := func(b uint64) {
			a, err := m.Pin(mem.Span{Start: mem.GPA(b * block), Len: block})
			if err != nil {
				rt.Fatal(err)
			}
			hpa[b] = a
		}
		for b := range uint64(size / block) {
			pin(b)
		}
		span := func(rt *rapid.T) (at, n uint64) {
			at = rapid.Uint64Range(0, size-1).Draw(rt, "at")
			return at, rapid.Uint64Range(1, min(size-at, 6000)).Draw(rt, "n")
		}
		segs := func(at, n uint64) (out []mem.Segment) {
			for n > 0 {
				b, off := at/block, at%block
				k := min(n, block-off)
				out = append(out, mem.Segment{HPA: hpa[b] + mem.HPA(off), Len: uint32(k)})
				at, n = at+k, n-k
			}
			return out
		}
		tag := rapid.Uint64Range(0, 3)
		rt.Repeat(map[string]func(*rapid.T){
			"fill": func(rt *rapid.T) {
				at, n := span(rt)
				g := tag.Draw(rt, "tag")
				if err := m.Fill(mem.GPA(at), n, g); err != nil {
					rt.Fatal(err)
				}
				mem.Fill(ref[at:at+n], g, 0)
			},
			"write pattern": func(rt *rapid.T) {
				at, n := span(rt)
				p := mem.Payload{Len: uint32(n), Tag: tag.Draw(rt, "tag"), Off: rapid.Uint64Range(0, 100).Draw(rt, "off")}
				if err := m.Write(0, segs(at, n), &p); err != nil {
					rt.Fatal(err)
				}
				copy(ref[at:], p.AppendTo(nil))
			},
			"write in order of offsets": func(rt *rapid.T) {
				at, n := span(rt)
				k := rapid.Uint64Range(1, n).Draw(rt, "split")
				for _, part := range [][2]uint64{{k, n}, {0, k}} { // out of order, so that they merge
					if part[0] < part[1] {
						p := mem.Payload{Len: uint32(part[1] - part[0]), Tag: 9, Off: part[0]}
						if err := m.Write(0, segs(at+part[0], part[1]-part[0]), &p); err != nil {
							rt.Fatal(err)
						}
					}
				}
				mem.Fill(ref[at:at+n], 9, 0)
			},
			"write bytes": func(rt *rapid.T) {
				at, n := span(rt)
				p := mem.Payload{Len: uint32(n), Bytes: rapid.SliceOfN(rapid.Byte(), int(n), int(n)).Draw(rt, "bytes")}
				if err := m.Write(0, segs(at, n), &p); err != nil {
					rt.Fatal(err)
				}
				copy(ref[at:], p.Bytes)
				clear(p.Bytes) // the caller's again
			},
			"evict": func(rt *rapid.T) {
				b := rapid.Uint64Range(0, size/block-1).Draw(rt, "block")
				before := hpa[b]
				if n := m.Evict([]mem.Span{{Start: mem.GPA(b * block), Len: block}}); n != 1 {
					rt.Fatalf("%d pages went, want 1", n)
				}
				if pin(b); hpa[b] == before {
					rt.Fatal("the block came back in its old frame")
				}
			},
			"": func(rt *rapid.T) {
				at, n := span(rt)
				var p mem.Payload
				if err := m.Read(0, segs(at, n), &p); err != nil {
					rt.Fatal(err)
				}
				if got := p.AppendTo(nil); !bytes.Equal(got, ref[at:at+n]) {
					rt.Fatalf("read %d bytes at %d: not what was written", n, at)
				}
				g := tag.Draw(rt, "tag")
				want, first := uint64(0), uint64(0)
				for i := range n {
					if ref[at+i] != mem.PatternByte(g, i) {
						if want == 0 {
							first = at + i
						}
						want++
					}
				}
				bad, where, err := m.Check(mem.GPA(at), n, g)
				if err != nil || bad != want || want > 0 && uint64(where) != first {
					rt.Fatalf("%d bad, first at %d (%v), want %d at %d", bad, where, err, want, first)
				}
			},
		})
	})
}

// A device that keeps a translation of an evicted block writes where the guest does not look, and is told on.
func TestStaleTranslationIsSeen(t *testing.T) {
	m, k := memory(t, 4<<20, 2<<20)
	block := mem.Span{Start: 2 << 20, Len: 2 << 20}
	old, err := m.Pin(block)
	if err != nil {
		t.Fatal(err)
	}
	if n := m.Evict([]mem.Span{block}); n != 512 {
		t.Errorf("%d pages went, want 512", n)
	}
	seg := []mem.Segment{{HPA: old + 100, Len: 50}}
	if err := m.Write(7, seg, &mem.Payload{Len: 50, Tag: 8}); err != nil {
		t.Fatal(err)
	}
	want := event.Event{At: 7, Kind: event.BadAccess, Node: 3, A: uint64(event.BadUnpinned), B: uint64(old + 100), C: 50}
	if len(*k) != 1 || (*k)[0] != want {
		t.Errorf("events %+v, want the bad access and no placement", *k)
	}
	if bad, _, _ := m.Check(block.Start+100, 50, 8); bad < 40 {
		t.Errorf("%d bytes wrong: the guest saw what was written to the stale frame", bad)
	}
}

func TestAccessOutsideIsRefused(t *testing.T) {
	m, k := memory(t, 3<<20, 2<<20)
	last, err := m.Pin(mem.Span{Start: 2 << 20, Len: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []mem.Segment{
		{HPA: 0, Len: 1}, {HPA: last + 2<<20, Len: 1}, {HPA: last + 1<<20 - 1, Len: 2},
	} {
		*k = nil
		if err := m.Write(0, []mem.Segment{s}, &mem.Payload{Len: s.Len}); !errors.Is(err, sim.ErrOutside) {
			t.Errorf("%+v: %v, want ErrOutside", s, err)
		}
		if len(*k) != 1 || (*k)[0].Kind != event.BadAccess || (*k)[0].A != uint64(event.BadOutside) {
			t.Errorf("%+v: events %+v", s, *k)
		}
	}
	if err := m.Fill(3<<20-1, 2, 1); !errors.Is(err, sim.ErrOutside) {
		t.Errorf("fill: %v", err)
	}
	if _, _, err := m.Check(3<<20-1, 2, 1); !errors.Is(err, sim.ErrOutside) {
		t.Errorf("check: %v", err)
	}
	if _, err := m.Pin(mem.Span{Start: 4096, Len: 4096}); err == nil {
		t.Error("pinned what is no block")
	}
}

func TestPlacedNamesBothAddresses(t *testing.T) {
	m, k := memory(t, 4<<20, 2<<20)
	b, _ := m.Pin(mem.Span{Start: 2 << 20, Len: 2 << 20})
	a, _ := m.Pin(mem.Span{Start: 0, Len: 2 << 20})
	segs := []mem.Segment{{HPA: a + 2<<20 - 10, Len: 10}, {HPA: b, Len: 20}}
	if err := m.Write(5, segs, &mem.Payload{Len: 30, Tag: 4, Off: 70}); err != nil {
		t.Fatal(err)
	}
	want := keeper{
		{At: 5, Kind: event.Placed, Node: 3, A: 2<<20 - 10, B: 10, C: uint64(a + 2<<20 - 10)},
		{At: 5, Kind: event.Placed, Node: 3, A: 2 << 20, B: 20, C: uint64(b)},
	}
	if len(*k) != 2 || (*k)[0] != want[0] || (*k)[1] != want[1] {
		t.Errorf("events %+v, want %+v", *k, want)
	}
	var p mem.Payload
	if err := m.Read(6, segs, &p); err != nil || p.Bytes != nil || p.Tag != 4 || p.Off != 70 || p.Len != 30 {
		t.Errorf("read %+v (%v), want one pattern across the border", p, err)
	}
	if err := m.Write(7, segs, &mem.Payload{Len: 29}); err == nil {
		t.Error("29 bytes over 30")
	}
}

func TestUnpinnedIsReportedAndCounted(t *testing.T) {
	m, k := memory(t, 4<<20, 2<<20)
	block := mem.Span{Start: 0, Len: 2 << 20}
	a, _ := m.Pin(block)
	if again, _ := m.Pin(block); again != a { // as a device does whose Map Cache forgot
		t.Errorf("pinned at %#x, then at %#x", a, again)
	}
	if m.Pinned() != 2<<20 {
		t.Errorf("%d bytes pinned", m.Pinned())
	}
	m.Unpin(block, a)
	m.Unpin(block, a)
	if m.Pinned() != 0 {
		t.Errorf("%d bytes pinned", m.Pinned())
	}
	var p mem.Payload
	if err := m.Read(0, []mem.Segment{{HPA: a, Len: 8}}, &p); err != nil || len(*k) != 1 {
		t.Errorf("%v, events %+v: want the read reported", err, *k)
	}
}

// Whatever the order of its packets, a message that is placed whole is one pattern again: its memory costs one
// extent, and it is compared without touching a byte.
func TestPlacedWholeIsOnePiece(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m, err := sim.NewMemory(sim.MemoryConfig{Size: 4 << 20})
		if err != nil {
			rt.Fatal(err)
		}
		a, _ := m.Pin(mem.Span{Start: 0, Len: 2 << 20})
		const packets, size = 40, 4086
		order := make([]uint32, packets)
		for i := range order {
			order[i] = uint32(i)
		}
		for tag := uint64(1); tag <= 2; tag++ { // the second over the first
			for _, i := range rapid.Permutation(order).Draw(rt, "order") {
				seg := []mem.Segment{{HPA: a + mem.HPA(i*size), Len: size}}
				if err := m.Write(0, seg, &mem.Payload{Len: size, Tag: tag, Off: uint64(i * size)}); err != nil {
					rt.Fatal(err)
				}
			}
			var p mem.Payload
			err := m.Read(0, []mem.Segment{{HPA: a, Len: packets * size}}, &p)
			if err != nil || p.Bytes != nil || p.Tag != tag || p.Off != 0 {
				rt.Fatalf("read tag %d at %d, bytes %v (%v): want tag %d in one piece", p.Tag, p.Off, p.Bytes != nil, err, tag)
			}
		}
	})
}

// 64 GiB of guest cost what is touched; pages that were only touched by the CPU count one by one.
func TestLargeGuestCostsWhatIsTouched(t *testing.T) {
	m, _ := memory(t, 64<<30, 2<<20)
	for i := range uint64(3) {
		if err := m.Fill(mem.GPA(i<<34+5000), 5000, 1); err != nil {
			t.Fatal(err)
		}
	}
	if n := m.Evict([]mem.Span{{Start: 0, Len: 64 << 30}}); n != 6 {
		t.Errorf("%d pages went, want 6", n)
	}
}

func TestPlacementDoesNotAllocate(t *testing.T) {
	m, err := sim.NewMemory(sim.MemoryConfig{Size: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := m.Pin(mem.Span{Start: 0, Len: 2 << 20})
	message := uint64(0)
	segs := make([]mem.Segment, 1)
	place := func() {
		message++
		for i := range uint32(64) { // pairs swapped, as two paths do
			j := i ^ 1
			segs[0] = mem.Segment{HPA: a + mem.HPA(j*4086), Len: 4086}
			if err := m.Write(0, segs, &mem.Payload{Len: 4086, Tag: message, Off: uint64(j * 4086)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	place()
	if n := testing.AllocsPerRun(10, place); n != 0 {
		t.Errorf("%v allocations per message, want none", n)
	}
}
