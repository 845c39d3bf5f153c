package simlab_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// How long recovery takes is the transport's affair and claimed by the suites; here every message has to arrive
// whole, and what was lost must be what the layers took.
func TestLossOnEveryUplink(t *testing.T) {
	r := peerRun(t, matrix(t, "perm_128_2MB.cm"), func(g *fabric.Graph, s framework.System) framework.Injector {
		for d := range fabric.Dir(2 * len(g.Links)) {
			if g.Nodes[g.From(d)].Host() || g.Nodes[g.To(d)].Host() {
				continue
			}
			if _, err := s.Surfaces().Links.Lay(d, fabric.Layer{Loss: 0.001, Key: seed.Derive(3, g.DirName(d))}); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if r.drops[event.DropLoss] == 0 || r.resent == 0 || r.drops[event.DropQueue] > 0 {
		t.Errorf("drops %v, %d sent again: want loss, and loss alone", r.drops, r.resent)
	}
}

func TestSilentlyDeadLink(t *testing.T) {
	r := peerRun(t, matrix(t, "perm_128_2MB.cm"), func(g *fabric.Graph, s framework.System) framework.Injector {
		var undo []func() error
		strike := func(vtime.Time) {
			for _, name := range []string{"leaf0-to-spine0", "spine0-to-leaf0"} {
				o, err := s.Surfaces().Links.Lay(peers.dir(t, g, name), fabric.Layer{Blackhole: true})
				if err != nil {
					t.Error(err)
				}
				undo = append(undo, o.Remove)
			}
		}
		heal := func(vtime.Time) {
			for _, f := range undo {
				if err := f(); err != nil {
					t.Error(err)
				}
			}
		}
		return &plan{at: []vtime.Time{20_000, 1_020_000}, act: []func(vtime.Time){strike, heal}}
	})
	if r.drops[event.DropBlackhole] == 0 || r.resent == 0 {
		t.Errorf("drops %v, %d sent again: want some", r.drops, r.resent)
	}
}
