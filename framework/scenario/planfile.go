package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/faults/plan"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/topology"
	"github.com/stellarlab/stellarlab/internal/units"
)

// PlanVersion and PlanKind are what the first two fields of a plan file say.
const (
	PlanVersion = Version
	PlanKind    = "Plan"
)

// planFile is plan.yaml: Resolved with its graph as parameters and seeds.
type planFile struct {
	APIVersion string            `yaml:"apiVersion"`
	Kind       string            `yaml:"kind"`
	Name       string            `yaml:"name"`
	Lab        string            `yaml:"lab"`
	Seed       uint64            `yaml:"seed"`
	Run        uint64            `yaml:"run"`
	Limit      units.Duration    `yaml:"limit"`
	Sample     units.Duration    `yaml:"sample,omitempty"`
	Topology   kindYAML          `yaml:"topology"`
	Switches   map[string]uint32 `yaml:"switches"` // ECMP seeds
	Workloads  []string          `yaml:"workloads"`
	Devices    []deviceGroup     `yaml:"devices"`
	Flows      []host.Flow       `yaml:"flows"`
	Faults     []plan.Fault      `yaml:"faults"`
	Expect     []kindYAML        `yaml:"expect"`
}

// deviceGroup is a run of hosts whose devices differ by number, address and seed alone.
type deviceGroup struct {
	From   int         `yaml:"from"` // first host number
	Config host.Config `yaml:"config"`
	Seeds  []uint64    `yaml:"seeds"` // one per host
}

// kindYAML is a catalogue entry: one key, its parameters below.
type kindYAML map[string]rawYAML

type rawYAML []byte

// UnmarshalYAML implements yaml.BytesUnmarshaler.
func (r *rawYAML) UnmarshalYAML(b []byte) error {
	*r = bytes.Clone(b)
	return nil
}

// MarshalYAML implements yaml.BytesMarshaler.
func (r rawYAML) MarshalYAML() ([]byte, error) {
	if len(r) == 0 {
		return []byte("{}"), nil
	}
	return r, nil
}

func entry(kind string, params any) (kindYAML, error) {
	if params == nil {
		return kindYAML{kind: nil}, nil
	}
	b, err := yaml.Marshal(params)
	return kindYAML{kind: b}, err
}

// EncodePlan returns plan.yaml.
func (r *Resolved) EncodePlan() ([]byte, error) {
	p := planFile{
		APIVersion: PlanVersion, Kind: PlanKind, Name: r.Name, Lab: r.Lab, Seed: r.Seed, Run: r.Run,
		Limit: units.Duration(r.Limit), Sample: units.Duration(r.Sample), Switches: r.seeds, Workloads: r.Names,
		Flows: r.Flows, Faults: r.Plan.Faults,
	}
	var err error
	if p.Topology, err = entry(r.topologyKind, r.topology); err != nil {
		return nil, fmt.Errorf("plan: topology: %w", err)
	}
	for i := range r.Expected {
		var params any
		if r.Expected[i].Params != nil {
			params = r.Expected[i].Params
		}
		e, err := entry(r.Expected[i].Kind, params)
		if err != nil {
			return nil, fmt.Errorf("plan: expectation %d: %w", i, err)
		}
		p.Expect = append(p.Expect, e)
	}
	p.Devices = groupDevices(r.Devices)
	var b bytes.Buffer
	if err := yaml.NewEncoder(&b, yaml.Indent(2), yaml.IndentSequence(false)).Encode(p); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	return b.Bytes(), nil
}

// groupDevices gathers devices that follow one another and are alike.
func groupDevices(all []host.Config) (groups []deviceGroup) {
	for i, c := range all {
		common := c
		common.Node, common.Addr, common.Seed = 0, 0, 0
		if n := len(groups); n > 0 && groups[n-1].Config == common {
			groups[n-1].Seeds = append(groups[n-1].Seeds, c.Seed)
			continue
		}
		groups = append(groups, deviceGroup{From: i, Config: common, Seeds: []uint64{c.Seed}})
	}
	return groups
}

// Digest is the sha256 of what is run, defaults filled in, in hexadecimal.
func (r *Resolved) Digest() (string, error) {
	b, err := r.EncodePlan()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// DecodePlan reads a plan.yaml back; what it gives equals what was written, but for Text.
func DecodePlan(b []byte) (*Resolved, error) {
	var p planFile
	if err := yaml.UnmarshalWithOptions(b, &p, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	if p.APIVersion != PlanVersion || p.Kind != PlanKind {
		return nil, fmt.Errorf("plan: apiVersion %q, kind %q: want %s, %s", p.APIVersion, p.Kind, PlanVersion, PlanKind)
	}
	r := &Resolved{
		Name: p.Name, Lab: p.Lab, Seed: p.Seed, Run: p.Run, Limit: time.Duration(p.Limit), Sample: time.Duration(p.Sample),
		Names: p.Workloads, Flows: p.Flows, Plan: plan.Plan{Faults: p.Faults}, seeds: p.Switches,
	}
	if !slices.Contains(Labs, r.Lab) {
		return nil, fmt.Errorf("plan: no lab is called %q: want sim or netns", r.Lab)
	}
	if err := r.decodeTopology(p.Topology); err != nil {
		return nil, fmt.Errorf("plan: topology: %w", err)
	}
	if err := r.Plan.Bind(r.Graph); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	for i := range r.Flows {
		f, n := &r.Flows[i], int32(r.Graph.Hosts())
		if f.From < 0 || f.From >= n || f.To < 0 || f.To >= n || f.From == f.To || f.Workload < 0 || int(f.Workload) >= len(r.Names) || int(f.Index) != i {
			return nil, fmt.Errorf("plan: flow %d from %d to %d of workload %d: there are %d hosts and %d workloads", i, f.From, f.To, f.Workload, n, len(r.Names))
		}
	}
	for i, e := range p.Expect {
		kind, raw := e.only()
		x := Expected{Kind: kind}
		if k, ok := expect.Lookup(kind); ok {
			x.Params = k.New()
			if err := yaml.UnmarshalWithOptions(raw, x.Params, yaml.Strict()); err != nil {
				return nil, fmt.Errorf("plan: expectation %d: %w", i, err)
			}
		} else if !slices.Contains(invariants, kind) {
			return nil, fmt.Errorf("plan: expectation %d: kind %q is not in this build's catalogue", i, kind)
		}
		r.Expected = append(r.Expected, x)
	}
	return r, r.decodeDevices(p.Devices)
}

func (e kindYAML) only() (string, rawYAML) {
	keys := make([]string, 0, len(e))
	for k := range e {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	if len(keys) != 1 {
		return "", nil
	}
	return keys[0], e[keys[0]]
}

func (r *Resolved) decodeTopology(e kindYAML) (err error) {
	kind, raw := e.only()
	k, ok := topology.Lookup(kind)
	if !ok {
		return fmt.Errorf("kind %q is not in this build's catalogue", kind)
	}
	r.topologyKind, r.topology = kind, k.New()
	if err := yaml.UnmarshalWithOptions(raw, r.topology, yaml.Strict()); err != nil {
		return err
	}
	if err := r.topology.Validate(); err != nil {
		return err
	}
	r.Shape = r.topology.Shaped()
	r.Graph, err = r.topology.Build(func(name string) uint32 { return r.seeds[name] })
	return err
}

func (r *Resolved) decodeDevices(groups []deviceGroup) error {
	for _, g := range groups {
		if g.From != len(r.Devices) {
			return fmt.Errorf("plan: devices from host %d follow host %d", g.From, len(r.Devices)-1)
		}
		for _, s := range g.Seeds {
			n := len(r.Devices)
			if n >= r.Graph.Hosts() {
				return errors.New("plan: more devices than hosts")
			}
			c := g.Config
			c.Node, c.Addr, c.Seed = int32(n), r.Graph.Nodes[n].Addr, s
			r.Devices = append(r.Devices, c)
		}
	}
	if len(r.Devices) != r.Graph.Hosts() {
		return fmt.Errorf("plan: %d devices for %d hosts", len(r.Devices), r.Graph.Hosts())
	}
	return nil
}
