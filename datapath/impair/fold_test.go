//go:build linux

package impair_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/impair"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/seed"
)

// TestFoldIsTheSimulators lays and removes layers of every kind at random, on the kernel's direction and on the
// simulator's stack alike, and wants the same fate for every packet and the same counts for every layer.
func TestFoldIsTheSimulators(t *testing.T) {
	p := newPair(t)
	d := p.attach()
	rnd := seed.Derive(7, "fold").Rand()
	var stack fabric.Stack
	type both struct {
		kernel *impair.Overlay
		model  *fabric.Laid
	}
	var lying []both
	var drops [event.DropCauses]uint64
	var spoilt, corrupted, delivered uint64
	for round := range 40 {
		if len(lying) < 2 || len(lying) < 6 && rnd.IntN(2) == 0 {
			l := fabric.Layer{Fault: int32(round), Key: seed.Key(rnd.Uint64())}
			switch rnd.IntN(8) {
			case 0:
				l.Blackhole = true
			case 1, 2, 3:
				l.Loss = rnd.Float64() / 3
			case 4, 5:
				l.Corrupt = rnd.Float64() / 3
			default:
				l.Loss, l.Corrupt = rnd.Float64()/4, rnd.Float64()/2
			}
			lying = append(lying, both{lay(t, d, l), stack.Lay(l)})
		} else {
			i := rnd.IntN(len(lying))
			gone := lying[i]
			lying = append(lying[:i], lying[i+1:]...)
			stack.Remove(gone.model)
			if err := gone.kernel.Remove(); err != nil {
				t.Fatal(err)
			}
			if c := counters(t, gone.kernel); c != gone.model.Counters {
				t.Errorf("round %d: removed layer %+v counted %+v, the simulator's %+v", round, gone.model.Layer, c, gone.model.Counters)
			}
		}
		got := p.burst(round*300, round*300+300)
		spoilt += uint64(got.spoilt)
		for i := round * 300; i < round*300+300; i++ {
			id, seq := identity(p, i)
			out := stack.Fold(id)
			if want := out.Drop == 0 && !out.Corrupt; got.whole[seq] != want {
				t.Fatalf("round %d packet %d: arrived whole %v, the simulator says %+v", round, i, got.whole[seq], out)
			}
			if out.Drop != 0 {
				drops[out.Drop]++
				continue
			}
			delivered++
			if out.Corrupt {
				corrupted++
			}
		}
		for _, b := range lying {
			if c := counters(t, b.kernel); c != b.model.Counters {
				t.Errorf("round %d: layer %+v counted %+v, the simulator's %+v", round, b.model.Layer, c, b.model.Counters)
			}
		}
	}
	c := totals(t, d)
	if c.Blackhole != drops[event.DropBlackhole] || c.Loss != drops[event.DropLoss] || c.Corrupted != corrupted ||
		c.Delivered != delivered || c.Failed != 0 || spoilt != corrupted || corrupted == 0 || drops[event.DropLoss] == 0 {
		t.Errorf("totals %+v, %d refused by ICRC; the simulator dropped %v, corrupted %d, delivered %d", c, spoilt, drops, corrupted, delivered)
	}
}
