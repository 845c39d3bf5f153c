package pvdma_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/pvdma"
)

// TestScripts runs the stories in testdata. Sizes are in KiB; a block is 2048.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var d *pvdma.Domain
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			var out strings.Builder
			if td.Cmd == "new" {
				var guest uint64
				var mode string
				var cache int
				td.ScanArgs(t, "guest", &guest)
				td.MaybeScanArgs(t, "mode", &mode)
				td.MaybeScanArgs(t, "cache", &cache)
				var err error
				d, err = pvdma.New(pvdma.Config{Guest: guest << 10, Mode: pvdma.Mode(mode), MapCache: cache})
				if err != nil {
					return err.Error() + "\n"
				}
			} else {
				run(t, d, td, &out)
			}
			for r, ok := d.Request(); ok; r, ok = d.Request() {
				print1(&out, r)
			}
			fmt.Fprintf(&out, "pinned %d KiB\n", d.Pinned()>>10)
			return out.String()
		})
	})
}

func run(t *testing.T, d *pvdma.Domain, td *datadriven.TestData, out *strings.Builder) {
	span := func() mem.Span {
		var at, n uint64
		td.ScanArgs(t, "at", &at)
		td.ScanArgs(t, "len", &n)
		return mem.Span{Start: mem.GPA(at << 10), Len: n << 10}
	}
	switch td.Cmd {
	case "dma":
		var segs [8]mem.Segment
		n, st, ticket := d.Translate(span(), segs[:])
		switch st {
		case pvdma.Hit:
			fmt.Fprint(out, "hit")
			for _, s := range segs[:n] {
				fmt.Fprintf(out, " hpa=%d+%d", s.HPA>>10, s.Len>>10)
			}
			fmt.Fprintln(out)
		case pvdma.Pending:
			fmt.Fprintf(out, "wait for %d\n", ticket)
		case pvdma.Refused:
			fmt.Fprintln(out, "refused")
		}
	case "register":
		if err := d.Register(span()); err != nil {
			fmt.Fprintln(out, err)
		}
	case "answer":
		var ticket, hpa uint64
		td.ScanArgs(t, "ticket", &ticket)
		td.MaybeScanArgs(t, "hpa", &hpa)
		var err error
		if td.HasArg("fail") {
			err = fmt.Errorf("no memory")
		}
		ready, retry := d.Answer(ticket, mem.HPA(hpa<<10), err)
		fmt.Fprintf(out, "ready=%v retry=%d\n", ready, retry)
	case "evict":
		for _, r := range d.Evict([]mem.Span{span()}) {
			print1(out, r)
		}
	case "close":
		for _, r := range d.Close() {
			print1(out, r)
		}
	default:
		t.Fatalf("%s: unknown command %s", td.Pos, td.Cmd)
	}
}

func print1(out *strings.Builder, r pvdma.Request) {
	if r.Unpin {
		fmt.Fprintf(out, "unpin %d+%d hpa=%d\n", r.Block.Start>>10, r.Block.Len>>10, r.HPA>>10)
		return
	}
	fmt.Fprintf(out, "pin %d+%d ticket=%d\n", r.Block.Start>>10, r.Block.Len>>10, r.Ticket)
}
