package fabric_test

import (
	"math"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/seed"
	"pgregory.net/rapid"
)

// draws is the number of packets of the statistical tests; the bounds are five standard deviations.
const draws = 100_000

func TestDrawHasItsProbability(t *testing.T) {
	for _, p := range []float64{0, 1e-4, 0.01, 0.5, 0.99, 1} {
		key := seed.Derive(1, "loss")
		hits := 0
		for i := range uint32(draws) {
			if fabric.Draw(key, fabric.Identity(1, 17, uint16(i%128), i/128), p) {
				hits++
			}
		}
		if d := math.Abs(float64(hits) - draws*p); d > 5*math.Sqrt(draws*p*(1-p)) {
			t.Errorf("p = %v: %d of %d", p, hits, draws)
		}
	}
}

func TestLayersDrawIndependently(t *testing.T) {
	var s fabric.Stack
	a := s.Lay(fabric.Layer{Fault: 0, Loss: 0.1, Key: seed.Derive(1, "a")})
	b := s.Lay(fabric.Layer{Fault: 1, Loss: 0.2, Key: seed.Derive(1, "b")})
	dropped := 0
	for i := range uint64(draws) {
		if s.Fold(i).Drop != 0 {
			dropped++
		}
	}
	want := draws * (1 - 0.9*0.8)
	if math.Abs(float64(dropped)-want) > 5*math.Sqrt(want) {
		t.Errorf("%d dropped, losses should combine to about %.0f", dropped, want)
	}
	if want := draws * 0.02; math.Abs(float64(b.Masked)-want) > 5*math.Sqrt(want) {
		t.Errorf("%d masked, want about %.0f", b.Masked, want)
	}
	if a.Masked != 0 || a.Seen != draws || b.Seen != draws || int(a.Matched+b.Matched) != dropped {
		t.Errorf("a %+v, b %+v, %d dropped", a.Counters, b.Counters, dropped)
	}
}

func TestDownWinsAndMasks(t *testing.T) {
	var s fabric.Stack
	hole := s.Lay(fabric.Layer{Blackhole: true})
	down := s.Lay(fabric.Layer{Down: true})
	again := s.Lay(fabric.Layer{Down: true})
	if o := s.Fold(1); o.Drop != event.DropDown || o.By != down {
		t.Errorf("outcome %+v, want down by the first layer that is down", o)
	}
	want := fabric.Counters{Seen: 1, Masked: 1}
	if hole.Counters != want || again.Counters != want || down.Matched != 1 {
		t.Errorf("hole %+v, down %+v, again %+v", hole.Counters, down.Counters, again.Counters)
	}
	if !s.Remove(down) || s.Remove(down) || !s.Down() || s.Standing(down) || !s.Standing(again) {
		t.Error("one of two layers that are down was removed once: still down")
	}
	s.Remove(again)
	if o := s.Fold(2); s.Down() || o.Drop != event.DropBlackhole || o.By != hole {
		t.Errorf("outcome %+v, want the black hole", o)
	}
}

// The other direction's layer is credited only where this one has none that is down.
func TestCutByTheOtherDirection(t *testing.T) {
	var s, back fabric.Stack
	loss := s.Lay(fabric.Layer{Loss: 1})
	hole := back.Lay(fabric.Layer{Blackhole: true})
	down := back.Lay(fabric.Layer{Down: true})
	if o := s.Cut(1, &back); o.Drop != event.DropDown || o.By != down {
		t.Errorf("outcome %+v, want down by the other direction", o)
	}
	masked, matched := fabric.Counters{Seen: 1, Masked: 1}, fabric.Counters{Seen: 1, Matched: 1}
	if loss.Counters != masked || down.Counters != matched || hole.Seen != 0 {
		t.Errorf("loss %+v, down %+v, black hole of the other direction %+v", loss.Counters, down.Counters, hole.Counters)
	}
	own := s.Lay(fabric.Layer{Down: true})
	if o := s.Cut(2, &back); o.By != own || down.Counters != matched {
		t.Errorf("outcome %+v, want the own layer, and the other left alone", o)
	}
}

func TestCorruptionIsAnOutcomeOfItsOwn(t *testing.T) {
	var s fabric.Stack
	c := s.Lay(fabric.Layer{Corrupt: 1, Key: 3})
	l := s.Lay(fabric.Layer{Loss: 1})
	o := s.Fold(9)
	if o.Drop != 0 || !o.Corrupt || o.By != c || uint64(o.Hash) != fabric.Hash(3, 9) {
		t.Errorf("outcome %+v, want corrupt by the first layer, with its hash", o)
	}
	if l.Masked != 1 || l.Matched != 0 {
		t.Errorf("loss behind it: %+v, want masked", l.Counters)
	}
}

// TestRemovingALayerMovesNoOther is FAULTS law 1: what remains acts on exactly the packets that it would have
// acted on, whatever else lay there.
func TestRemovingALayerMovesNoOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layer := rapid.Custom(func(t *rapid.T) fabric.Layer {
			return fabric.Layer{
				Down:      rapid.Bool().Draw(t, "down"),
				Blackhole: rapid.Bool().Draw(t, "blackhole"),
				Loss:      rapid.Float64Range(0, 1).Draw(t, "loss"),
				Corrupt:   rapid.Float64Range(0, 1).Draw(t, "corrupt"),
				Key:       seed.Key(rapid.Uint64().Draw(t, "key")),
			}
		})
		layers := rapid.SliceOfN(layer, 1, 5).Draw(t, "layers")
		ids := rapid.SliceOfN(rapid.Uint64(), 1, 40).Draw(t, "identities")
		gone := rapid.IntRange(0, len(layers)-1).Draw(t, "gone")

		var all, rest fabric.Stack
		var laidAll, laidRest []*fabric.Laid
		for i, l := range layers {
			laidAll = append(laidAll, all.Lay(l))
			r := rest.Lay(l)
			if i != gone {
				laidRest = append(laidRest, r)
			} else {
				rest.Remove(r)
			}
		}
		for _, id := range ids {
			o := all.Fold(id)
			rest.Fold(id)
			if (o.By == nil) != (o.Drop == 0 && !o.Corrupt) {
				t.Fatalf("outcome %+v: acts and is credited, or neither", o)
			}
		}
		matched := uint64(0)
		for i, l := range laidAll {
			matched += l.Matched
			if i == gone {
				continue
			}
			r := laidRest[0]
			laidRest = laidRest[1:]
			if l.Matched+l.Masked != r.Matched+r.Masked || l.Seen != r.Seen {
				t.Fatalf("layer %d: %+v with layer %d, %+v without", i, l.Counters, gone, r.Counters)
			}
		}
		if matched > uint64(len(ids)) {
			t.Fatalf("%d credits for %d packets", matched, len(ids))
		}
	})
}
