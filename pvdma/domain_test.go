package pvdma_test

import (
	"errors"
	"testing"

	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/pvdma"
	"pgregory.net/rapid"
)

// hypervisor is the reference: a map from block to frame, where a pin of a pinned block answers where it is.
type hypervisor struct {
	d        *pvdma.Domain
	frames   map[mem.GPA]mem.HPA
	next     mem.HPA
	waiting  []pvdma.Request
	answered []answer // carried out, the answer is on its way
}

type answer struct {
	pvdma.Request
	hpa mem.HPA
}

func (h *hypervisor) drain() {
	for r, ok := h.d.Request(); ok; r, ok = h.d.Request() {
		if r.Unpin {
			delete(h.frames, r.Block.Start)
			continue
		}
		h.waiting = append(h.waiting, r)
	}
}

// pin carries the request at i out.
func (h *hypervisor) pin(i int) {
	r := h.waiting[i]
	h.waiting = append(h.waiting[:i:i], h.waiting[i+1:]...)
	hpa, ok := h.frames[r.Block.Start]
	if !ok {
		h.next += 1 << 30 // never the frame that it had before
		hpa = h.next
		h.frames[r.Block.Start] = hpa
	}
	h.answered = append(h.answered, answer{r, hpa})
}

func (h *hypervisor) deliver(i int) {
	a := h.answered[i]
	h.answered = append(h.answered[:i:i], h.answered[i+1:]...)
	h.d.Answer(a.Ticket, a.hpa, nil)
	h.drain()
}

// TestAgreesWithMap: whatever is touched, pinned, failed and evicted in whatever order, a hit is right for every
// byte, every wait ends, and a teardown leaves no pin.
func TestAgreesWithMap(t *testing.T) {
	const block, guest = 4 << 10, 64<<10 + 4<<10
	rapid.Check(t, func(t *rapid.T) {
		d, err := pvdma.New(pvdma.Config{Guest: guest, Block: block, MapCache: rapid.IntRange(0, 3).Draw(t, "cache")})
		if err != nil {
			t.Fatal(err)
		}
		h := &hypervisor{d: d, frames: map[mem.GPA]mem.HPA{}}
		span := func(t *rapid.T) mem.Span {
			at := rapid.Uint64Range(0, guest-1).Draw(t, "at")
			return mem.Span{Start: mem.GPA(at), Len: rapid.Uint64Range(1, min(3*block, guest-at)).Draw(t, "len")}
		}
		translate := func(t *rapid.T, s mem.Span) bool {
			var segs [4]mem.Segment
			n, st, ticket := d.Translate(s, segs[:])
			h.drain()
			if (st == pvdma.Pending) != (ticket != 0) || st == pvdma.Refused {
				t.Fatalf("%v: state %d, ticket %d", s, st, ticket)
			}
			at := s.Start
			for _, g := range segs[:n] {
				b := at &^ (block - 1)
				if hpa, ok := h.frames[b]; !ok || g.HPA != hpa+mem.HPA(at-b) {
					t.Fatalf("IOMMU(%#x) = %#x, EPT has %#x, %v", at, g.HPA, hpa, ok)
				}
				at += mem.GPA(g.Len)
			}
			if st == pvdma.Hit && at != s.End() {
				t.Fatalf("hit on %v ends at %#x", s, at)
			}
			return st == pvdma.Hit
		}
		t.Repeat(map[string]func(*rapid.T){
			"dma": func(t *rapid.T) { translate(t, span(t)) },
			"pin": func(t *rapid.T) {
				if n := len(h.waiting); n > 0 {
					h.pin(rapid.IntRange(0, n-1).Draw(t, "request"))
				}
			},
			"answer": func(t *rapid.T) {
				if n := len(h.answered); n > 0 {
					h.deliver(rapid.IntRange(0, n-1).Draw(t, "answer"))
				}
			},
			"fail": func(t *rapid.T) {
				if n := len(h.waiting); n > 0 {
					r := h.waiting[n-1]
					h.waiting = h.waiting[:n-1]
					d.Answer(r.Ticket, 0, errors.New("no memory"))
					h.drain()
				}
			},
			"evict": func(t *rapid.T) {
				for _, r := range d.Evict([]mem.Span{span(t)}) {
					if h.frames[r.Block.Start] != r.HPA {
						t.Fatalf("unpin of %v at %#x, pinned at %#x", r.Block, r.HPA, h.frames[r.Block.Start])
					}
					delete(h.frames, r.Block.Start)
				}
			},
			"": func(t *rapid.T) {
				var pinned uint64
				for _, s := range d.Mapped() {
					pinned += s.Len
					if _, ok := h.frames[s.Start]; !ok {
						t.Fatalf("%v is mapped and not pinned", s)
					}
				}
				if pinned != d.Pinned() {
					t.Fatalf("Pinned %d, mapped %d bytes", d.Pinned(), pinned)
				}
			},
		})
		s := span(t)
		for i := 0; !translate(t, s); i++ {
			for len(h.waiting) > 0 {
				h.pin(0)
			}
			for len(h.answered) > 0 {
				h.deliver(0)
			}
			if i > 8 {
				t.Fatalf("%v never hits", s)
			}
		}
		for len(h.waiting) > 0 {
			h.pin(0)
		}
		for len(h.answered) > 0 {
			h.deliver(0)
			for len(h.waiting) > 0 {
				h.pin(0)
			}
		}
		for _, r := range d.Close() {
			delete(h.frames, r.Block.Start)
		}
		if len(h.frames) != 0 || d.Pinned() != 0 {
			t.Fatalf("after Close %d blocks are pinned, Pinned says %d", len(h.frames), d.Pinned())
		}
	})
}

// warm returns a domain with n blocks of 2 MiB mapped, block i at i GiB.
func warm(t testing.TB, cfg pvdma.Config, n int) *pvdma.Domain {
	t.Helper()
	d, err := pvdma.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Touch(mem.Span{Len: uint64(n) * 2 << 20}); err != nil {
		t.Fatal(err)
	}
	serve(d)
	return d
}

// serve answers every pin that is asked for, and returns how many there were.
func serve(d *pvdma.Domain) (pins int) {
	for r, ok := d.Request(); ok; r, ok = d.Request() {
		if !r.Unpin {
			pins++
			d.Answer(r.Ticket, mem.HPA(r.Block.Start)<<9, nil)
		}
	}
	return pins
}

func state(d *pvdma.Domain, at mem.GPA, n uint64) (pvdma.State, uint64) {
	var segs [8]mem.Segment
	_, st, ticket := d.Translate(mem.Span{Start: at, Len: n}, segs[:])
	return st, ticket
}
