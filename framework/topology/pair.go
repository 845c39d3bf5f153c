package topology

import (
	"errors"
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/fabric"
)

// Pair is two hosts with one switch on each of the equal paths between them.
type Pair struct {
	Paths int `yaml:"paths" default:"4" doc:"switches between the two hosts, 1 to 256"`
	Links `yaml:",inline"`
}

var pairKind = Kind{
	Name:    "pair",
	Makes:   "two hosts, host0 and host1, joined by one switch per path: path0, path1 …",
	Example: "pair: {paths: 4, rate: 100Gbps}",
	New:     func() Params { return &Pair{Paths: 4} },
}

// Validate implements Params.
func (p *Pair) Validate() error {
	errs := p.check()
	if p.Paths < 1 || p.Paths > 256 {
		errs = append(errs, fmt.Errorf("paths is %d: want 1 to 256", p.Paths))
	}
	return errors.Join(errs...)
}

// Build implements Params.
func (p *Pair) Build(seed func(string) uint32) (*fabric.Graph, error) {
	b := newBuilder(&p.Links)
	h0 := b.node("host0", fabric.TierHost, seed)
	h1 := b.node("host1", fabric.TierHost, seed)
	for i := range p.Paths {
		s := b.node(fmt.Sprintf("path%d", i), fabric.TierLeaf, seed)
		b.link(h0, s, p.Link)
		b.link(h1, s, p.Link)
	}
	return b.build()
}
