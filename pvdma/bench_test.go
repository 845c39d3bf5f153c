package pvdma_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/pvdma"
)

// TestHotPathsAllocateNothing covers a hit and the whole turn of eviction, request and answer.
func TestHotPathsAllocateNothing(t *testing.T) {
	d := warm(t, pvdma.Config{Guest: 1 << 30}, 16)
	var segs [4]mem.Segment
	var at mem.GPA
	if n := testing.AllocsPerRun(1000, func() {
		d.Translate(mem.Span{Start: at & (32<<20 - 1), Len: 4096}, segs[:])
		at += 4 << 20
	}); n != 0 {
		t.Errorf("a hit allocates %v times", n)
	}
	if n := testing.AllocsPerRun(1000, func() {
		d.Touch(mem.Span{Start: 64 << 20, Len: 8 << 20})
		for r, ok := d.Request(); ok; r, ok = d.Request() {
			d.Answer(r.Ticket, 0, errFailed)
		}
	}); n != 0 {
		t.Errorf("four requests and their answers allocate %v times", n)
	}
}

type failed struct{}

func (failed) Error() string { return "no memory" }

var errFailed error = failed{}

func BenchmarkHit(b *testing.B) {
	for _, c := range []struct {
		name  string
		cache int
		step  mem.GPA
	}{{"same block", 0, 4096}, {"next block", 0, 2 << 20}, {"map cache", 1024, 2 << 20}} {
		b.Run(c.name, func(b *testing.B) {
			d := warm(b, pvdma.Config{Guest: 1 << 30, MapCache: c.cache}, 64)
			var segs [4]mem.Segment
			var at mem.GPA
			b.ReportAllocs()
			for b.Loop() {
				d.Translate(mem.Span{Start: at & (128<<20 - 1), Len: 4096}, segs[:])
				at += c.step
			}
		})
	}
}
