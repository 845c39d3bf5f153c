package pvdma_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/pvdma"
)

// TestB08PartOfRegionGoes: the middle 2 MiB of 8 MiB go; accesses there wait, the rest is as it was, and each
// block is unpinned once.
func TestB08PartOfRegionGoes(t *testing.T) {
	d := warm(t, pvdma.Config{Guest: 16 << 20}, 4)
	middle := []mem.Span{{Start: 2 << 20, Len: 2 << 20}}
	if n := len(d.Evict(middle)); n != 1 {
		t.Fatalf("%d unpins", n)
	}
	if n := len(d.Evict(middle)); n != 0 {
		t.Fatalf("%d unpins of what is gone", n)
	}
	for at, want := range map[mem.GPA]pvdma.State{0: pvdma.Hit, 2 << 20: pvdma.Pending, 4 << 20: pvdma.Hit, 6 << 20: pvdma.Hit, 2<<20 - 1: pvdma.Pending} {
		if st, _ := state(d, at, 4096); st != want {
			t.Errorf("%#x: state %d, want %d", at, st, want)
		}
	}
	if n := serve(d); n != 1 || d.Pinned() != 8<<20 {
		t.Fatalf("%d pins, %d bytes pinned", n, d.Pinned())
	}
}

// TestB18NextDevicePinsAgain: the last device goes and unpins all; the next one's first access pins again.
func TestB18NextDevicePinsAgain(t *testing.T) {
	d := warm(t, pvdma.Config{Guest: 16 << 20}, 2)
	state(d, 8<<20, 1) // a pin is under way
	d.Close()
	for _, at := range []mem.GPA{0, 8 << 20} {
		if st, _ := state(d, at, 1); st != pvdma.Pending {
			t.Fatalf("%#x: state %d", at, st)
		}
		if n := serve(d); n != 1 {
			t.Fatalf("%#x: %d pins", at, n)
		}
		if st, _ := state(d, at, 1); st != pvdma.Hit {
			t.Fatalf("%#x: state %d after its pin", at, st)
		}
	}
}

// TestB27DuplicateFault: two touch one page; one pin, and both proceed.
func TestB27DuplicateFault(t *testing.T) {
	d, err := pvdma.New(pvdma.Config{Guest: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	_, a := state(d, 0, 1)
	_, b := state(d, 4096, 1)
	if n := d.Requested(); n != 1 || a != b {
		t.Fatalf("%d requests, tickets %d and %d", n, a, b)
	}
	serve(d)
	for _, at := range []mem.GPA{0, 4096} {
		if st, _ := state(d, at, 1); st != pvdma.Hit {
			t.Fatalf("%#x: state %d", at, st)
		}
	}
	if ready, _ := d.Answer(a, 1<<30, nil); ready {
		t.Fatal("a second answer counts")
	}
}

// TestB28InvalidatedWhileFaulting: a block goes while a fault on it waits; the fault is retried and finishes.
func TestB28InvalidatedWhileFaulting(t *testing.T) {
	d, err := pvdma.New(pvdma.Config{Guest: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	_, ticket := state(d, 0, 1)
	if r, ok := d.Request(); !ok || r.Ticket != ticket {
		t.Fatalf("request %+v, %v", r, ok)
	}
	d.Evict([]mem.Span{{Len: 1}})
	ready, retry := d.Answer(ticket, 1<<30, nil)
	if !ready || retry == 0 || retry == ticket {
		t.Fatalf("ready %v, retry %d", ready, retry)
	}
	u, _ := d.Request()
	if !u.Unpin || u.HPA != 1<<30 {
		t.Fatalf("the frame that came too late is not released: %+v", u)
	}
	serve(d)
	if st, _ := state(d, 0, 1); st != pvdma.Hit {
		t.Fatalf("state %d after the retry", st)
	}
}

// TestConfigIsRefused: every field that is wrong is named.
func TestConfigIsRefused(t *testing.T) {
	for _, c := range []pvdma.Config{{}, {Guest: 4095}, {Guest: 4 << 40}, {Guest: 1 << 20, Block: 3 << 12}, {Guest: 1 << 20, Block: 2 << 30}, {Guest: 1 << 20, Mode: "sometimes"}, {Guest: 1 << 20, MapCache: -1}} {
		if d, err := pvdma.New(c); err == nil || d != nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// TestEvictedBlockLeavesTheMapCache: its entry makes room, and pushes no block out that is still mapped.
func TestEvictedBlockLeavesTheMapCache(t *testing.T) {
	d := warm(t, pvdma.Config{Guest: 16 << 20, MapCache: 2}, 2)
	state(d, 2<<20, 1) // both have been used; the first one latest
	state(d, 0, 1)
	d.Evict([]mem.Span{{Len: 1}})
	state(d, 4<<20, 1)
	serve(d)
	if st, _ := state(d, 2<<20, 1); st != pvdma.Hit {
		t.Fatalf("state %d: a block that stayed has been pushed out", st)
	}
}
