package topology

import (
	"errors"
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/fabric"
)

// LeafSpine is the two-tier Clos: every leaf is joined to every spine.
type LeafSpine struct {
	Leaves       int  `yaml:"leaves" doc:"leaf switches, 1 to 1024"`
	Spines       int  `yaml:"spines" doc:"spine switches, 1 to 1024"`
	HostsPerLeaf int  `yaml:"hostsPerLeaf" doc:"hosts at each leaf, 1 to 1024"`
	Uplink       Link `yaml:"uplink,omitempty" doc:"what differs on leaf-spine links"`
	Links        `yaml:",inline"`
}

var leafSpineKind = Kind{
	Name:    "leafspine",
	Makes:   "hosts at leaves, every leaf joined to every spine; host h is at leaf h / hostsPerLeaf",
	Example: "leafspine: {leaves: 2, spines: 8, hostsPerLeaf: 4, rate: 400Gbps, delay: 600ns}",
	New:     func() Params { return &LeafSpine{} },
}

// Bounds of a topology.
const (
	maxSwitches = 1024
	maxHosts    = 4096    // next hops are kept per switch and host: beyond this they fill the memory
	maxUplinks  = 1 << 16 // leaf-spine links
)

// Validate implements Params.
func (p *LeafSpine) Validate() error {
	errs := append(p.check(), p.Uplink.validate("uplink.")...)
	for _, c := range []struct {
		name string
		n    int
	}{{"leaves", p.Leaves}, {"spines", p.Spines}, {"hostsPerLeaf", p.HostsPerLeaf}} {
		if c.n < 1 || c.n > maxSwitches {
			errs = append(errs, fmt.Errorf("%s is %d: want 1 to %d", c.name, c.n, maxSwitches))
		}
	}
	if p.Leaves <= maxSwitches && p.HostsPerLeaf <= maxSwitches && p.Leaves*p.HostsPerLeaf > maxHosts {
		errs = append(errs, fmt.Errorf("leaves × hostsPerLeaf is %d hosts: want at most %d", p.Leaves*p.HostsPerLeaf, maxHosts))
	}
	if p.Leaves <= maxSwitches && p.Spines <= maxSwitches && p.Leaves*p.Spines > maxUplinks {
		errs = append(errs, fmt.Errorf("leaves × spines is %d links: want at most %d", p.Leaves*p.Spines, maxUplinks))
	}
	return errors.Join(errs...)
}

// Build implements Params.
func (p *LeafSpine) Build(seed func(string) uint32) (*fabric.Graph, error) {
	b := newBuilder(&p.Links)
	hosts := make([]fabric.NodeID, p.Leaves*p.HostsPerLeaf)
	for i := range hosts {
		hosts[i] = b.node(fmt.Sprintf("host%d", i), fabric.TierHost, seed)
	}
	leaves := make([]fabric.NodeID, p.Leaves)
	for i := range leaves {
		leaves[i] = b.node(fmt.Sprintf("leaf%d", i), fabric.TierLeaf, seed)
	}
	spines := make([]fabric.NodeID, p.Spines)
	for i := range spines {
		spines[i] = b.node(fmt.Sprintf("spine%d", i), fabric.TierSpine, seed)
	}
	for i, h := range hosts {
		b.link(h, leaves[i/p.HostsPerLeaf], p.Link)
	}
	uplink := p.Link.over(p.Uplink)
	for _, l := range leaves {
		for _, s := range spines {
			b.link(l, s, uplink)
		}
	}
	return b.build()
}
