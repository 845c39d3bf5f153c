package plan_test

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/faults/plan"
	"github.com/stellarlab/stellarlab/internal/units"
)

func graph(t *testing.T) *fabric.Graph {
	t.Helper()
	var b fabric.Builder
	h0, h1 := b.Add("host0", fabric.TierHost, 0), b.Add("host1", fabric.TierHost, 0)
	s := b.Add("path0", fabric.TierSpine, 1)
	b.Connect(h0, s, fabric.Profile{})
	b.Connect(h1, s, fabric.Profile{})
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestYAMLRoundTripIsExactForEveryKind(t *testing.T) {
	g := graph(t)
	for _, kind := range faults.Catalogue() {
		p := plan.Plan{Faults: []plan.Fault{{
			Name: "x#1", Kind: kind.Name, At: 3e6, For: 5e6, Key: 0xfedcba9876543210, Optional: true, Params: kind.New(),
		}}}
		if kind.Aim == faults.AtDevice {
			p.Faults[0].Targets = []plan.Target{plan.DeviceTarget(g, 1)}
		} else {
			p.Faults[0].Targets = []plan.Target{plan.LinkTarget(g, 0), plan.LinkTarget(g, 3)}
		}
		b, err := yaml.Marshal(p)
		if err != nil {
			t.Fatalf("%s: %v", kind.Name, err)
		}
		var q plan.Plan
		if err := yaml.UnmarshalWithOptions(b, &q, yaml.Strict()); err != nil {
			t.Fatalf("%s: %v\n%s", kind.Name, err, b)
		}
		if err := q.Bind(g); err != nil {
			t.Fatalf("%s: %v\n%s", kind.Name, err, b)
		}
		if d := cmp.Diff(p, q); d != "" {
			t.Errorf("%s: %s\n%s", kind.Name, d, b)
		}
	}
}

func TestBindReportsEveryProblemAndChangesNothing(t *testing.T) {
	p := plan.Plan{Faults: []plan.Fault{
		{Name: "late", Kind: "link.blackhole", At: 2, For: 1, Params: &faults.LinkBlackhole{}, Targets: []plan.Target{{Name: "host0-to-path0"}}},
		{Name: "a", Kind: "link.loss", For: 0, Params: &faults.LinkLoss{P: 2}, Targets: []plan.Target{{Name: "leaf9-to-spine9"}}},
		{Name: "a", Kind: "page.evict", For: 1, Params: &faults.PageEvict{Share: 0.5, Policy: "random", Period: units.Duration(1e6)}, Targets: []plan.Target{{Name: "host7/dev0"}}},
		{Name: "b", Kind: "link.nonsense"},
	}}
	err := p.Bind(graph(t))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"fault a: for is 0s", "p is 2: want a probability", `no link direction is called "leaf9-to-spine9"`,
		"want one that no other fault has", `no device is called "host7/dev0"`, `kind "link.nonsense" is not in`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not reported in:\n%v", want, err)
		}
	}
	if p.Faults[0].Name != "late" || p.Faults[0].Targets[0].Dir != 0 {
		t.Error("the plan was changed")
	}
}

func TestEachTargetHasItsOwnStream(t *testing.T) {
	g := graph(t)
	f := plan.Fault{Key: 7}
	if f.Stream(plan.LinkTarget(g, 0)) == f.Stream(plan.LinkTarget(g, 1)) {
		t.Error("two directions draw from one stream")
	}
}
