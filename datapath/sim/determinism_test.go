package sim_test

import (
	"fmt"
	"hash/fnv"
	"runtime"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// The same inputs give the same events and arrivals, in the same order, with loss, corruption, marks, drops and a
// link that flaps, whatever the number of processors.
func TestSameInputsSameRun(t *testing.T) {
	run := func(procs int) (uint64, int) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		p := link
		p.Queue = 8 * 4150
		p.ECN = fabric.ECN{Min: 4150, Max: 6 * 4150, Probability: 0.7}
		b := newBench(t, leafspine(t, 4, 3, 3, p, p))
		b.lay(t, "leaf0", "spine1", fabric.Layer{Loss: 0.1, Key: 1})
		b.lay(t, "spine2", "leaf1", fabric.Layer{Fault: 1, Corrupt: 0.1, Key: 2})
		for i := range 12 {
			b.send(i, (i+5)%12, 300)
			b.send(i, 3, 50*i%7)
		}
		for i := range 10 {
			b.Advance(vtime.Time(i*10_000), nil)
			o := b.lay(t, "leaf2", "spine0", fabric.Layer{Fault: 2, Down: true})
			b.Advance(vtime.Time(i*10_000+5_000), nil)
			if err := o.Remove(); err != nil {
				t.Fatal(err)
			}
		}
		b.drain()
		h := fnv.New64a()
		for _, e := range b.events {
			fmt.Fprintln(h, e)
		}
		for i, f := range b.fakes {
			for _, a := range f.got {
				fmt.Fprintln(h, i, a.at, a.p.PSN, a.p.ECN, a.p.Flags)
			}
		}
		return h.Sum64(), len(b.events)
	}
	first, events := run(1)
	if events < 100 {
		t.Fatalf("%d events: nothing happened", events)
	}
	for _, procs := range []int{1, 2} {
		if again, _ := run(procs); again != first {
			t.Errorf("another run on %d processors: %#x, then %#x", procs, first, again)
		}
	}
}
