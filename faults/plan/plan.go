// Package plan is a resolved list of faults as data: concrete targets, instants, parameters and the key of every
// random stream. It decides nothing: framework/scenario resolves a scenario into a plan, faults/inject runs it.
package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/units"
)

// Plan is what will be done, in order of time. It runs without a seed, and removing an entry moves no other
// entry's draws.
type Plan struct {
	Faults []Fault `yaml:"faults"`
}

// Fault is one occurrence of one fault.
type Fault struct {
	Name     string         `yaml:"name"`
	Kind     string         `yaml:"kind"`
	At       units.Duration `yaml:"at"`  // from release
	For      units.Duration `yaml:"for"` // until it is undone
	Targets  []Target       `yaml:"targets"`
	Key      seed.Key       `yaml:"key"` // of this occurrence; each target draws from a stream of its own under it
	Optional bool           `yaml:"optional,omitempty"`
	Params   faults.Fault   `yaml:"params"`
}

// Target is one place at which a fault strikes.
type Target struct {
	Name string        // "leaf0-to-spine3" or "host2/dev0"
	Dir  fabric.Dir    // of a link kind
	Host fabric.NodeID // of a device kind
}

// Stream is the key of the draws of f at t.
func (f *Fault) Stream(t Target) seed.Key { return seed.Derive(uint64(f.Key), t.Name) }

// End is the instant at which f is due to be undone.
func (f *Fault) End() units.Duration { return f.At + f.For }

// MarshalText writes the name: identifiers are found again in the graph.
func (t Target) MarshalText() ([]byte, error) { return []byte(t.Name), nil }

// UnmarshalText reads the name; Bind finds the rest.
func (t *Target) UnmarshalText(b []byte) error {
	*t = Target{Name: string(b)}
	return nil
}

// LinkTarget is direction d of g as a target.
func LinkTarget(g *fabric.Graph, d fabric.Dir) Target { return Target{Name: g.DirName(d), Dir: d} }

// DeviceTarget is the device of host h of g as a target.
func DeviceTarget(g *fabric.Graph, h fabric.NodeID) Target {
	return Target{Name: g.Nodes[h].Name + "/dev0", Host: h}
}

// FindTarget returns the target of g that name names.
func FindTarget(g *fabric.Graph, aim faults.Aim, name string) (Target, error) {
	if aim == faults.AtDevice {
		for h := range fabric.NodeID(g.Hosts()) {
			if t := DeviceTarget(g, h); t.Name == name {
				return t, nil
			}
		}
		return Target{}, fmt.Errorf("no device is called %q: want host0/dev0 to host%d/dev0", name, g.Hosts()-1)
	}
	for d := range fabric.Dir(2 * len(g.Links)) {
		if g.DirName(d) == name {
			return LinkTarget(g, d), nil
		}
	}
	return Target{}, fmt.Errorf("no link direction is called %q: want a name such as %q", name, g.DirName(0))
}

// Bind finds every target in g and checks the whole plan; all problems, joined, and then nothing is changed.
func (p *Plan) Bind(g *fabric.Graph) error {
	bound := slices.Clone(p.Faults)
	var errs []error
	seen := map[string]bool{}
	for i := range bound {
		f := &bound[i]
		if seen[f.Name] || f.Name == "" {
			errs = append(errs, fmt.Errorf("fault %d: name %q: want one that no other fault has", i, f.Name))
		}
		seen[f.Name] = true
		errs = append(errs, f.bind(g)...)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	p.Faults = bound
	p.Sort()
	return nil
}

func (f *Fault) bind(g *fabric.Graph) (errs []error) {
	kind, ok := faults.Lookup(f.Kind)
	if !ok {
		return []error{fmt.Errorf("fault %s: kind %q is not in this build's catalogue", f.Name, f.Kind)}
	}
	if f.For <= 0 {
		errs = append(errs, fmt.Errorf("fault %s: for is %v: a fault lasts some time, such as 10ms", f.Name, f.For))
	}
	if f.At < 0 {
		errs = append(errs, fmt.Errorf("fault %s: at is %v: want an instant from the start of the run", f.Name, f.At))
	}
	if f.Params == nil {
		errs = append(errs, fmt.Errorf("fault %s: no params", f.Name))
	} else if err := f.Params.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("fault %s: %w", f.Name, err))
	}
	if len(f.Targets) == 0 {
		errs = append(errs, fmt.Errorf("fault %s: no target", f.Name))
	}
	f.Targets = slices.Clone(f.Targets)
	for i, t := range f.Targets {
		found, err := FindTarget(g, kind.Aim, t.Name)
		if err != nil {
			errs = append(errs, fmt.Errorf("fault %s: %w", f.Name, err))
			continue
		}
		f.Targets[i] = found
	}
	return errs
}

// Sort orders the faults by the instant of their strike, equal ones as they stand.
func (p *Plan) Sort() {
	slices.SortStableFunc(p.Faults, func(a, b Fault) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
}

// mostly is the chance of loss from which on a direction counts as cut: a message of a few packets then needs more
// tries than any retry budget has.
const mostly = 0.5

// Cuts returns, for each fault, the link directions that let nothing, or next to nothing, through while it lasts.
func (p *Plan) Cuts() [][]fabric.Dir {
	cuts := make([][]fabric.Dir, len(p.Faults))
	for i := range p.Faults {
		f := &p.Faults[i]
		for _, t := range f.Targets {
			switch p := f.Params.(type) {
			case *faults.LinkBlackhole:
				cuts[i] = append(cuts[i], t.Dir)
			case *faults.LinkLoss:
				if p.P >= mostly {
					cuts[i] = append(cuts[i], t.Dir)
				}
			case *faults.LinkCorrupt:
				if p.P >= mostly {
					cuts[i] = append(cuts[i], t.Dir)
				}
			case *faults.LinkDown:
				cuts[i] = append(cuts[i], t.Dir&^1, t.Dir|1)
			}
		}
		slices.Sort(cuts[i])
		cuts[i] = slices.Compact(cuts[i])
	}
	return cuts
}
