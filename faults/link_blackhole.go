package faults

import "github.com/stellarlab/stellarlab/datapath/fabric"

// LinkBlackhole are the parameters of link.blackhole: none.
type LinkBlackhole struct{}

var linkBlackhole = Kind{
	Name:     "link.blackhole",
	Models:   "grey link: up at both ends, but nothing comes out",
	Sim:      "a layer at the receiving end drops every packet",
	Netns:    "the eBPF program at the receiving end's tcx ingress drops every RoCEv2 packet",
	Evidence: "packets matched by this layer, counted where they are dropped",
	Undo:     "the layer is removed; nothing else is touched",
	Composes: "with losses: all draw, the first in order of injection is credited, the others count the packet as masked",
	Example:  "{name: grey, at: 2ms, for: 10ms, link.blackhole: {link: leaf0-spine3, direction: both}}",
	Aim:      AtLink, Rule: ByTraffic, Needs: needsLinks,
	New: func() Fault { return &LinkBlackhole{} },
}

// Validate implements Fault.
func (*LinkBlackhole) Validate() error { return nil }

// Strike implements Fault.
func (*LinkBlackhole) Strike(s Surfaces, t Strike) (Active, error) {
	o, err := s.Links.Lay(t.Dir, fabric.Layer{Fault: t.Index, Blackhole: true, Key: t.Key})
	if err != nil {
		return nil, err
	}
	return chance{o, 1}, nil
}
