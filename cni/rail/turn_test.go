//go:build linux

package rail_test

import (
	"errors"
	"testing"

	"github.com/stellarlab/stellarlab/cni/rail"
)

func TestTurnSpreadsWhatAHostItselfSends(t *testing.T) {
	_, a, ends := bundle(t, 0, 7)
	turn, err := rail.Turn(a)
	if err != nil {
		t.Fatal(err)
	}
	var hops []rail.Hop
	for _, e := range ends {
		hops = append(hops, rail.Hop{Link: e[0].Name, Via: e[0].Peer})
	}
	err = errors.Join(
		rail.Address(a, from), rail.RouteIn(a, rail.TurnTable, to, hops, nil),
		rail.Route(a, to, []rail.Hop{turn}, from),
	)
	if err != nil {
		t.Fatal(err)
	}
	before := received(t, ends)
	send(t, a)
	after := received(t, ends)
	if n := sum(after) - sum(before); n != 128 {
		t.Errorf("%d packets came, want 128", n)
	}
	for i := range after {
		if after[i] == before[i] {
			t.Errorf("no packet over rail %d: before %v, after %v", i, before, after)
		}
	}
}
