package sim_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/sim"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"pgregory.net/rapid"
)

// TestLedgerBalances throws traffic and layers at a small fabric and stops it at arbitrary instants: every
// direction accounts for every packet, the whole fabric for every packet sent, and no place in the pool is lost.
func TestLedgerBalances(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := link
		p.Queue = uint64(rapid.IntRange(1, 20).Draw(rt, "queue")) * 4150
		p.ECN = fabric.ECN{Min: 4150, Max: 5 * 4150, Probability: 1}
		b := newBench(t, leafspine(t, 2, 2, 2, p, p))
		dirs := 2 * len(b.graph.Links)
		var laid []*sim.Overlay
		sent := uint64(0)
		rt.Repeat(map[string]func(*rapid.T){
			"send": func(rt *rapid.T) {
				from := rapid.IntRange(0, 3).Draw(rt, "from")
				to := (from + rapid.IntRange(1, 3).Draw(rt, "to")) % 4
				n := rapid.IntRange(1, 30).Draw(rt, "packets")
				sent += uint64(n)
				b.send(from, to, n)
			},
			"lay": func(rt *rapid.T) {
				o, err := b.Lay(fabric.Dir(rapid.IntRange(0, dirs-1).Draw(rt, "direction")), fabric.Layer{
					Down:      rapid.IntRange(0, 4).Draw(rt, "down") == 0,
					Blackhole: rapid.IntRange(0, 4).Draw(rt, "blackhole") == 0,
					Loss:      rapid.Float64Range(0, 0.5).Draw(rt, "loss"),
					Corrupt:   rapid.Float64Range(0, 0.5).Draw(rt, "corrupt"),
					Key:       seed.Key(rapid.Uint64().Draw(rt, "key")),
				})
				if err != nil {
					rt.Fatal(err)
				}
				laid = append(laid, o)
			},
			"remove": func(rt *rapid.T) {
				if len(laid) > 0 {
					if err := laid[rapid.IntRange(0, len(laid)-1).Draw(rt, "layer")].Remove(); err != nil {
						rt.Fatal(err)
					}
				}
			},
			"advance": func(rt *rapid.T) {
				b.Advance(b.Now()+vtime.Time(rapid.IntRange(1, 5000).Draw(rt, "ns")), nil)
			},
			"": func(rt *rapid.T) {
				flying := b.balanced(rt)
				if uint64(b.Pending()) != flying {
					rt.Fatalf("%d packets in the pool, %d in flight", b.Pending(), flying)
				}
			},
		})
		b.drain()
		if n := b.balanced(rt); n != 0 || b.Pending() != 0 {
			rt.Fatalf("%d packets in flight, %d in the pool, when nothing happens any more", n, b.Pending())
		}
		got, dropped := uint64(0), uint64(0)
		for _, f := range b.fakes {
			got += uint64(len(f.got))
		}
		for _, e := range b.events {
			if e.Kind == event.Dropped {
				dropped++
			}
		}
		if got+dropped != sent {
			rt.Fatalf("%d sent, %d received, %d dropped", sent, got, dropped)
		}
	})
}
