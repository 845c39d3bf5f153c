package topology_test

import (
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/framework/topology"
	"github.com/stellarlab/stellarlab/internal/units"
)

func noSeed(string) uint32 { return 0 }

func TestLeafSpineShape(t *testing.T) {
	slow := units.Rate(10e9)
	p := &topology.LeafSpine{Leaves: 2, Spines: 3, HostsPerLeaf: 2}
	p.Overrides = map[string]topology.Link{"leaf1-spine2": {Rate: &slow}}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	g, err := p.Build(noSeed)
	if err != nil {
		t.Fatal(err)
	}
	if g.Hosts() != 4 || len(g.Nodes) != 9 || len(g.Links) != 4+6 {
		t.Fatalf("%d hosts, %d nodes, %d links", g.Hosts(), len(g.Nodes), len(g.Links))
	}
	leaf0, _ := g.Node("leaf0")
	if n := len(g.NextHops(leaf0, 3)); n != 3 {
		t.Errorf("leaf0 has %d next hops to host3, want 3", n)
	}
	if n := len(g.NextHops(leaf0, 1)); n != 1 {
		t.Errorf("leaf0 has %d next hops to host1, want 1", n)
	}
	for name, rate := range map[string]uint64{"leaf1-spine2": 10e9, "leaf1-spine1": 100e9, "host3-leaf1": 100e9} {
		l, ok := g.Link(name)
		if !ok || g.Links[l].Rate != rate {
			t.Errorf("%s: there %v, rate %d, want %d", name, ok, g.Links[l].Rate, rate)
		}
	}
}

func TestPairHasOneSwitchPerPath(t *testing.T) {
	p := &topology.Pair{Paths: 4}
	g, err := p.Build(noSeed)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.NextHops(0, 1)) != 4 || g.Nodes[2].Name != "path0" || g.DirName(0) != "host0-to-path0" {
		t.Errorf("next hops %v, switch %s, direction %s", g.NextHops(0, 1), g.Nodes[2].Name, g.DirName(0))
	}
}

func TestAbsurdParametersAreAllNamed(t *testing.T) {
	rate, queue := units.Rate(1), units.Size(1)
	p := &topology.LeafSpine{Leaves: 0, Spines: -1, HostsPerLeaf: 100000}
	p.Rate, p.Queue = &rate, &queue
	err := p.Validate()
	for _, want := range []string{"leaves is 0", "spines is -1", "hostsPerLeaf is 100000", "rate is 1bps", "queue is 1B"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	q := &topology.Pair{Paths: 1}
	q.Overrides = map[string]topology.Link{"leaf9-spine9": {}}
	if _, err := q.Build(noSeed); err == nil || !strings.Contains(err.Error(), "leaf9-spine9") {
		t.Errorf("an override of no link: %v", err)
	}
}

// TestConformance: every topology's defaults or example build, and every host reaches every other.
func TestConformance(t *testing.T) {
	for _, k := range topology.Catalogue() {
		if k.Makes == "" || !strings.HasPrefix(k.Example, k.Name+":") {
			t.Errorf("%s is not described", k.Name)
		}
		p := k.New()
		if ls, ok := p.(*topology.LeafSpine); ok {
			ls.Leaves, ls.Spines, ls.HostsPerLeaf = 3, 2, 2
		}
		g, err := p.Build(noSeed)
		if err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		for h := range fabric.NodeID(g.Hosts()) {
			for n := range fabric.NodeID(len(g.Nodes)) {
				if n != h && len(g.NextHops(n, h)) == 0 {
					t.Errorf("%s: %d has no way to %d", k.Name, n, h)
				}
			}
		}
	}
}
