package fabric_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
)

// clos is two leaves with two hosts each, and three spines.
func clos(t *testing.T) *fabric.Graph {
	t.Helper()
	var b fabric.Builder
	for i := range 4 {
		b.Add(fmt.Sprintf("host%d", i), fabric.TierHost, 0)
	}
	l0, l1 := b.Add("leaf0", fabric.TierLeaf, 1), b.Add("leaf1", fabric.TierLeaf, 2)
	for h := range fabric.NodeID(4) {
		b.Connect(h, []fabric.NodeID{l0, l1}[h/2], fabric.Profile{})
	}
	for i := range 3 {
		s := b.Add(fmt.Sprintf("spine%d", i), fabric.TierSpine, uint32(10+i))
		b.Connect(l0, s, fabric.Profile{})
		b.Connect(l1, s, fabric.Profile{})
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestNextHopsAreAllShortestPaths(t *testing.T) {
	g := clos(t)
	for _, c := range []struct {
		from string
		to   fabric.NodeID
		want []string
	}{
		{"host0", 1, []string{"leaf0"}},
		{"leaf0", 1, []string{"host1"}},
		{"leaf0", 3, []string{"spine0", "spine1", "spine2"}},
		{"leaf1", 3, []string{"host3"}},
		{"spine2", 3, []string{"leaf1"}},
		{"host3", 3, nil},
	} {
		n, ok := g.Node(c.from)
		if !ok {
			t.Fatalf("no node %s", c.from)
		}
		var got []string
		for _, i := range g.NextHops(n, c.to) {
			got = append(got, g.Nodes[g.Ports(n)[i].Peer].Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("from %s to host%d: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

func TestDirectionsAreNamedByTheirEnds(t *testing.T) {
	g := clos(t)
	l, ok := g.Link("leaf1-spine2")
	if !ok {
		t.Fatal("no link leaf1-spine2")
	}
	for d, want := range map[fabric.Dir]string{fabric.Dir(2 * l): "leaf1-to-spine2", fabric.Dir(2*l + 1): "spine2-to-leaf1"} {
		if got := g.DirName(d); got != want || d.Link() != l {
			t.Errorf("direction %d is %s of link %d, want %s of %d", d, got, d.Link(), want, l)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for name, make := range map[string]func(b *fabric.Builder){
		"host after switch": func(b *fabric.Builder) {
			b.Add("leaf0", fabric.TierLeaf, 0)
			b.Add("host0", fabric.TierHost, 0)
		},
		"one name twice": func(b *fabric.Builder) {
			b.Add("host0", fabric.TierHost, 0)
			b.Connect(0, b.Add("host0", fabric.TierLeaf, 0), fabric.Profile{})
		},
		"higher tier first": func(b *fabric.Builder) {
			b.Add("host0", fabric.TierHost, 0)
			b.Connect(b.Add("leaf0", fabric.TierLeaf, 0), 0, fabric.Profile{})
		},
		"unreachable": func(b *fabric.Builder) {
			b.Add("host0", fabric.TierHost, 0)
			b.Add("host1", fabric.TierHost, 0)
			b.Connect(0, b.Add("leaf0", fabric.TierLeaf, 0), fabric.Profile{})
		},
		"link twice": func(b *fabric.Builder) {
			b.Add("host0", fabric.TierHost, 0)
			l := b.Add("leaf0", fabric.TierLeaf, 0)
			b.Connect(0, l, fabric.Profile{})
			b.Connect(0, l, fabric.Profile{})
		},
	} {
		var b fabric.Builder
		make(&b)
		if _, err := b.Build(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
