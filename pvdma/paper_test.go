package pvdma_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/pvdma"
)

// TestNothingIsPinnedAtStart: Stellar §5, nothing is pinned at start-up, and start-up work is O(touched blocks).
func TestNothingIsPinnedAtStart(t *testing.T) {
	d, err := pvdma.New(pvdma.Config{Guest: 16 << 40 / 10 &^ 4095})
	if err != nil {
		t.Fatal(err)
	}
	if n := d.Requested(); n != 0 || d.Pinned() != 0 {
		t.Fatalf("a guest of 1.6 TB starts with %d requests and %d bytes pinned", n, d.Pinned())
	}
	state(d, 1<<40, 4096)
	if n := serve(d); n != 1 || d.Pinned() != 2<<20 {
		t.Fatalf("one touch asked for %d pins and pinned %d bytes", n, d.Pinned())
	}
}

// TestPinAllIsProportionalToTheGuest: Stellar §3.1 problem 2, the baseline needs every guest page pinned.
func TestPinAllIsProportionalToTheGuest(t *testing.T) {
	for _, gib := range []uint64{1, 32} {
		d, err := pvdma.New(pvdma.Config{Guest: gib << 30, Mode: pvdma.PinAll})
		if err != nil {
			t.Fatal(err)
		}
		if n := d.Requested(); n != int(gib*512) {
			t.Errorf("%d GiB: %d blocks are asked for, want %d", gib, n, gib*512)
		}
	}
}

// TestLaterOperationsHitTheMapCache: Stellar §5, granularity 2 MiB; a block is pinned once.
func TestLaterOperationsHitTheMapCache(t *testing.T) {
	d, err := pvdma.New(pvdma.Config{Guest: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	state(d, 5<<20, 1)
	if n := serve(d); n != 1 {
		t.Fatalf("%d pins", n)
	}
	for at := mem.GPA(4 << 20); at < 6<<20; at += 4096 {
		if st, _ := state(d, at, 4096); st != pvdma.Hit {
			t.Fatalf("%#x: state %d within the block that was touched", at, st)
		}
	}
	if n := d.Requested(); n != 0 {
		t.Fatalf("%d more requests", n)
	}
}

// TestTeardownReleasesEveryPin: Stellar §5, invariants.
func TestTeardownReleasesEveryPin(t *testing.T) {
	d := warm(t, pvdma.Config{Guest: 1 << 30}, 7)
	if n := len(d.Close()); n != 7 || d.Pinned() != 0 || len(d.Mapped()) != 0 {
		t.Fatalf("%d of 7 blocks released, %d bytes pinned", n, d.Pinned())
	}
}

// TestIOMMUFollowsEPT: Stellar §5, IOMMU(GPA) = EPT(GPA) at all times; a frame that went is never hit again.
func TestIOMMUFollowsEPT(t *testing.T) {
	d := warm(t, pvdma.Config{Guest: 1 << 30}, 1)
	d.Evict([]mem.Span{{Len: 1}})
	st, ticket := state(d, 0, 4096)
	if st != pvdma.Pending {
		t.Fatalf("state %d after the eviction", st)
	}
	d.Answer(ticket, 7<<30, nil)
	var segs [1]mem.Segment
	if _, st, _ := d.Translate(mem.Span{Start: 4096, Len: 1}, segs[:]); st != pvdma.Hit || segs[0].HPA != 7<<30+4096 {
		t.Fatalf("state %d at %#x, the new frame is at %#x", st, segs[0].HPA, 7<<30)
	}
}
