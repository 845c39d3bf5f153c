package sim_test

import (
	"math"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/event"
)

// Two hosts send at line rate to a third: the queue of its port grows by one packet per transmission time, and
// what does not fit is dropped there.
func TestTailDrop(t *testing.T) {
	p := link
	p.Queue = 10 * 4150
	b := newBench(t, star(t, 3, p))
	b.send(0, 2, 100)
	b.send(1, 2, 100)
	b.drain()
	l := b.Ledger(b.dir(t, "leaf0", "host2"))
	// Packets come in pairs, one pair per transmission time. When the last comes, 99 have left and 10 fit.
	if l.Sent != 200 || l.Dropped[event.DropQueue] != 91 || l.Delivered != 109 {
		t.Errorf("%+v, want 200 sent, 91 dropped, 109 delivered", l)
	}
	drops := 0
	for _, e := range b.events {
		if e.Kind == event.Dropped && e.A == uint64(event.DropQueue) && e.B == 4150 && e.C == 0 {
			drops++
		}
	}
	if drops != 91 {
		t.Errorf("%d drops in the events, want 91", drops)
	}
	b.balanced(t)
}

// A packet that finds k packets before it is marked with the probability of k·4150 bytes.
func TestMarkingLaw(t *testing.T) {
	p := link
	p.ECN = fabric.ECN{Min: 10 * 4150, Max: 30 * 4150, Probability: 0.5}
	const runs = 400
	marked, found := [41]int{}, [41]int{}
	for i := range runs {
		b := newBench(t, star(t, 3, p))
		b.seq = uint32(i * 1000)
		b.send(0, 2, 40)
		b.send(1, 2, 40)
		b.drain()
		for k, a := range b.fakes[2].got {
			depth := k / 2 // of the two that come together the first finds k/2 packets, the second one more
			if k%2 == 1 {
				depth++
			}
			found[depth]++
			if a.p.ECN == 3 {
				marked[depth]++
			}
		}
	}
	for depth, n := range found {
		want := 0.0
		switch {
		case depth > 30:
			want = 1
		case depth > 10:
			want = 0.5 * float64(depth-10) / 20
		}
		got := float64(marked[depth]) / float64(max(n, 1))
		if math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/float64(max(n, 1))) {
			t.Errorf("%d packets before it: %.3f marked of %d, want %.3f", depth, got, n, want)
		}
	}
}

// A marked packet says so to its receiver, an unmarked one does not.
func TestMarkReachesTheReceiver(t *testing.T) {
	p := link
	p.ECN = fabric.ECN{Min: 4150, Max: 4150}
	b := newBench(t, star(t, 3, p))
	b.send(0, 2, 3)
	b.send(1, 2, 3)
	b.drain()
	var marks []bool
	for _, a := range b.fakes[2].got {
		if (a.p.ECN == 3) != (a.p.Flags&16 != 0) { // wire.CE
			t.Errorf("ECN %d with flags %b", a.p.ECN, a.p.Flags)
		}
		marks = append(marks, a.p.ECN == 3)
	}
	// Depths found: 0, 1, 1, 2, 2, 3 packets; above one packet all are marked.
	for i, want := range []bool{false, false, false, true, true, true} {
		if marks[i] != want {
			t.Errorf("marks %v, want the last three", marks)
			break
		}
	}
}
