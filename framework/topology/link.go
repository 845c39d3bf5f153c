package topology

import (
	"errors"
	"fmt"
	"sort"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/units"
)

// Link is what links are made of. A field that is not given takes the value of the topology's link, or its
// default there.
type Link struct {
	Rate  *units.Rate     `yaml:"rate,omitempty" doc:"of each direction" default:"100Gbps"`
	Delay *units.Duration `yaml:"delay,omitempty" doc:"propagation, one way" default:"1us"`
	Queue *units.Size     `yaml:"queue,omitempty" doc:"of each egress port" default:"48us at the link's rate"`
	ECN   *ECN            `yaml:"ecn,omitempty" doc:"marking rule of each egress port" default:"from 2us to 8us at the link's rate, 100%"`
}

// ECN is the marking rule of an egress queue: nothing below min, rising to probability at max, all above.
type ECN struct {
	Min         units.Size  `yaml:"min" doc:"bytes queued, below which nothing is marked"`
	Max         units.Size  `yaml:"max" doc:"bytes queued, above which all is marked"`
	Probability units.Share `yaml:"probability" doc:"of marking at max"`
}

// Links is the part of a topology's parameters that all share.
type Links struct {
	Link      `yaml:",inline"`
	Overrides map[string]Link `yaml:"overrides,omitempty" doc:"what differs on single links, by their names"`
	Shape     bool            `yaml:"shape,omitempty" doc:"in namespaces, impose rate and delay"`
}

// Shaped implements Params.
func (l *Links) Shaped() bool { return l.Shape }

const (
	maxRate  = units.Rate(10e12)
	maxDelay = units.Duration(10e9)
	maxQueue = units.Size(1 << 34)
)

// over returns l with the fields of o that are given.
func (l Link) over(o Link) Link {
	if o.Rate != nil {
		l.Rate = o.Rate
	}
	if o.Delay != nil {
		l.Delay = o.Delay
	}
	if o.Queue != nil {
		l.Queue = o.Queue
	}
	if o.ECN != nil {
		l.ECN = o.ECN
	}
	return l
}

// profile fills the defaults in: queue and marking rule follow the rate.
func (l Link) profile() fabric.Profile {
	p := fabric.Profile{Rate: 100e9, Delay: 1000}
	if l.Rate != nil {
		p.Rate = uint64(*l.Rate)
	}
	if l.Delay != nil {
		p.Delay = l.Delay.Std()
	}
	perMicro := p.Rate / 8e6 // bytes
	p.Queue = 48 * perMicro
	if l.Queue != nil {
		p.Queue = uint64(*l.Queue)
	}
	p.ECN = fabric.ECN{Min: 2 * perMicro, Max: 8 * perMicro, Probability: 1}
	if l.ECN != nil {
		p.ECN = fabric.ECN{Min: uint64(l.ECN.Min), Max: uint64(l.ECN.Max), Probability: float64(l.ECN.Probability)}
	}
	return p
}

func (l Link) validate(field string) (errs []error) {
	if l.Rate != nil && (*l.Rate < 1e6 || *l.Rate > maxRate) {
		errs = append(errs, fmt.Errorf("%srate is %v: want 1Mbps to %v", field, *l.Rate, maxRate))
	}
	if l.Delay != nil && (*l.Delay < 0 || *l.Delay > maxDelay) {
		errs = append(errs, fmt.Errorf("%sdelay is %v: want at most %v", field, *l.Delay, maxDelay))
	}
	if l.Queue != nil && (*l.Queue < 9000 || *l.Queue > maxQueue) {
		errs = append(errs, fmt.Errorf("%squeue is %v: want 9000B, a packet's worth, to %v", field, *l.Queue, maxQueue))
	}
	if e := l.ECN; e != nil && (e.Max < e.Min || e.Probability < 0 || e.Probability > 1) {
		errs = append(errs, fmt.Errorf("%secn is min %v, max %v, probability %v: want min at most max and at most 100%%", field, e.Min, e.Max, e.Probability))
	}
	return errs
}

// check validates the shared part.
func (l *Links) check() []error {
	errs := l.validate("")
	for _, name := range l.overridden() {
		errs = append(errs, l.Overrides[name].validate("overrides."+name+".")...)
	}
	return errs
}

func (l *Links) overridden() []string {
	names := make([]string, 0, len(l.Overrides))
	for n := range l.Overrides {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// builder is a fabric.Builder that applies the overrides and notices those that name no link.
type builder struct {
	fabric.Builder
	links *Links
	names []string
	used  map[string]bool
}

func newBuilder(l *Links) *builder { return &builder{links: l, used: map[string]bool{}} }

func (b *builder) node(name string, tier fabric.Tier, seed func(string) uint32) fabric.NodeID {
	b.names = append(b.names, name)
	if tier == fabric.TierHost {
		return b.Add(name, tier, 0)
	}
	return b.Add(name, tier, seed(name))
}

func (b *builder) link(a, c fabric.NodeID, l Link) {
	name := b.names[a] + "-" + b.names[c]
	if o, ok := b.links.Overrides[name]; ok {
		b.used[name] = true
		l = l.over(o)
	}
	b.Connect(a, c, l.profile())
}

func (b *builder) build() (*fabric.Graph, error) {
	var errs []error
	for _, n := range b.links.overridden() {
		if !b.used[n] {
			errs = append(errs, fmt.Errorf("overrides.%s: no link is called so", n))
		}
	}
	g, err := b.Build()
	return g, errors.Join(append(errs, err)...)
}
