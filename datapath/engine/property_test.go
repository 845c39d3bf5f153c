package engine_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/mem"
	"pgregory.net/rapid"
)

// Under any plan of loss, duplication, delay and absent memory every work request completes exactly once, in
// order, and what is reported as written is where it belongs and nowhere else.
func TestAnyPlanKeepsEveryPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 64 << 10
		cfg := engine.Config{
			MTU: 256, Relaxed: rapid.Bool().Draw(t, "relaxed"),
			ReceiveBuffer: uint64(rapid.SampledFrom([]int{256, 1024, 16 << 10, 256 << 10}).Draw(t, "buffer")),
			AckEvery:      uint32(rapid.SampledFrom([]int{256, 1024, 16 << 10}).Draw(t, "ackEvery")),
		}
		psn := rapid.SampledFrom([]uint32{0, 1<<24 - 5, 1<<24 - 1, 12345}).Draw(t, "psn")
		p, err := newPair(cfg, psn, size)
		if err != nil {
			t.Fatal(err)
		}
		p.ends[0].paths.window = uint64(rapid.SampledFrom([]int{256, 2048, 1 << 20}).Draw(t, "window"))
		for i := range p.ends[0].mem.bytes {
			p.ends[0].mem.bytes[i] = byte(i*7 + i>>8)
		}
		loss := rapid.IntRange(0, 30).Draw(t, "loss%")
		dup := rapid.IntRange(0, 20).Draw(t, "dup%")
		skew := rapid.IntRange(0, 100).Draw(t, "skew µs")
		rng := rapid.Uint64().Draw(t, "draws")
		draw := func(n int) int {
			rng = rng*6364136223846793005 + 1442695040888963407
			return int(rng>>33) % n
		}
		delay := func() time.Duration { return hop + time.Duration(draw(skew+1))*time.Microsecond }
		p.plan = func(int, *wire.Packet) []time.Duration {
			var ds []time.Duration
			if draw(100) >= loss {
				ds = append(ds, delay())
			}
			if draw(100) < dup {
				ds = append(ds, delay())
			}
			return ds
		}
		absent := rapid.IntRange(0, 3).Draw(t, "absent pages")
		for side := range p.ends {
			p.ends[side].mem.absent = map[mem.VA]uint64{}
			for i := range absent {
				p.ends[side].mem.absent[mem.VA(draw(size/pageSize)*pageSize)] = uint64(100*side + i + 1)
			}
		}
		want := make([]byte, size)
		type span struct {
			at mem.VA
			n  uint32
		}
		var spans []span
		next := mem.VA(0)
		for next < size-9000 && len(spans) < 20 {
			n := uint32(rapid.SampledFrom([]int{0, 1, 255, 256, 257, 512, 700, 5000}).Draw(t, "size"))
			spans = append(spans, span{next, n})
			if err := p.post(uint64(len(spans)), next, next, n); err != nil {
				t.Fatal(err)
			}
			next += mem.VA(n) + 3
		}
		for steps := 0; len(p.wcs) < len(spans); steps++ {
			if steps > 500_000 {
				t.Fatalf("no end: %d of %d completions", len(p.wcs), len(spans))
			}
			moved := p.step()
			if draw(50) == 0 || !moved {
				// Answer one absent page; the machine may rest only while it waits for one.
				answered := false
				for side, n := range p.ends {
					for page := mem.VA(0); page < size && !answered; page += pageSize {
						if ticket := n.mem.absent[page]; ticket != 0 {
							delete(n.mem.absent, page)
							p.ends[side].MemReady(p.now, ticket, true)
							answered = true
						}
					}
				}
				if !moved && !answered {
					t.Fatalf("at rest with %d of %d completions", len(p.wcs), len(spans))
				}
			}
		}
		for p.step() {
		}
		if len(p.wcs) != len(spans) {
			t.Fatalf("%d completions for %d work requests", len(p.wcs), len(spans))
		}
		ok := true
		for i, wc := range p.wcs {
			if wc.ID != uint64(i+1) || wc.MSN != uint32(i) || wc.Len != spans[i].n {
				t.Fatalf("completion %d is %+v", i, wc)
			}
			if wc.Status != engine.Success {
				if ok && wc.Status != engine.RetryExcErr || !ok && wc.Status != engine.WRFlushErr {
					t.Fatalf("completion %d is %v", i, wc.Status)
				}
				ok = false
			}
			s := spans[i]
			src := p.ends[0].mem.bytes[s.at : uint64(s.at)+uint64(s.n)]
			got := p.ends[1].mem.bytes[s.at : uint64(s.at)+uint64(s.n)]
			if ok && !bytes.Equal(src, got) {
				t.Fatalf("message %d is reported as written, and is not", i)
			}
			copy(want[s.at:], got)
		}
		if !bytes.Equal(want, p.ends[1].mem.bytes) {
			t.Fatal("bytes outside every message were written")
		}
		if loss == 0 && absent == 0 && cfg.ReceiveBuffer > 16<<10 && p.ends[0].count.resent > 0 {
			t.Fatalf("%d retransmissions without a loss", p.ends[0].count.resent)
		}
		if info, _ := p.ends[0].Info(p.ends[0].qpn); info.InFlight != 0 || info.Outstanding != 0 {
			t.Fatalf("at the end: %+v", info)
		}
	})
}
