package scenario

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/faults/plan"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/topology"
	"github.com/stellarlab/stellarlab/framework/workload"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/units"
)

// Resolved is a scenario with nothing left to chance: what a lab is built from, what is run, and what is expected.
// It is what plan.yaml holds; running it needs no seed.
type Resolved struct {
	Name     string
	Lab      string
	Seed     uint64 // that it was resolved with; a record, not an input
	Limit    time.Duration
	Sample   time.Duration // 0: the lab's default
	Run      uint64        // names the run in pattern tags and marking draws
	Graph    *fabric.Graph
	Shape    bool
	Devices  []host.Config // by host number
	Flows    []host.Flow
	Names    []string // of the workloads, as Flow.Workload counts them
	Plan     plan.Plan
	Expected []Expected
	Text     []byte // the scenario file as it was read; empty when loaded from a plan

	topologyKind string
	topology     topology.Params
	seeds        map[string]uint32 // ECMP seed by switch
}

// Expected is one expectation; Params is nil for an invariant that is merely listed.
type Expected struct {
	Kind   string
	Params expect.Params
}

// Resolve decides everything for one lab and seed. The error is Problems. The scenario is not changed.
func (s *Scenario) Resolve(o Options) (*Resolved, error) {
	f, lab, problems := s.decodeFor(o)
	if len(problems) > 0 {
		return nil, problems
	}
	spec := &f.Spec
	stretch(reflect.ValueOf(spec).Elem(), int64(spec.Stretch))
	if p := s.beyond(spec); len(p) > 0 {
		return nil, p
	}
	r := &Resolved{
		Name: f.Metadata.Name, Lab: lab, Seed: o.Draw, Limit: spec.Limit.Std(), Sample: spec.Sample.Std(),
		Shape: spec.Topology.Params.Shaped(), Text: s.Text,
		topologyKind: spec.Topology.Kind, topology: spec.Topology.Params, seeds: map[string]uint32{},
	}
	switch {
	case o.Seed != nil:
		r.Seed = *o.Seed
	case spec.Seed != nil:
		r.Seed = *spec.Seed
	}
	r.Run = uint64(seed.Derive(r.Seed, "run"))
	v := &resolver{Resolved: r, d: &decoder{file: s.Path}, dir: s.dir()}
	v.resolve(spec)
	if len(v.d.problems) > 0 {
		v.d.sortByLine()
		return nil, v.d.problems
	}
	return r, nil
}

// maxDuration bounds the instants of a scenario after stretching, so that none overflows.
const maxDuration = units.Duration(1000 * time.Hour)

// beyond returns a problem for every duration of spec that is out of reach, and for every fault that limit does not
// let strike: such a file asks for what cannot be shown.
func (s *Scenario) beyond(spec *Spec) Problems {
	d := &decoder{file: s.Path}
	eachDuration(reflect.ValueOf(spec).Elem(), "spec", func(path string, v units.Duration) {
		if v > maxDuration {
			d.problems = append(d.problems, Problem{File: s.Path, Field: path, What: fmt.Sprintf("%v, stretched: want at most %v", v, maxDuration)})
		}
	})
	occurrences := 0
	for i := range spec.Faults {
		f := &spec.Faults[i]
		path := fmt.Sprintf("spec.faults[%d]", i)
		occurrences += f.Times
		if f.Every > maxDuration/units.Duration(f.Times) {
			d.add(f.at, path+".every", "%v, stretched, %d times: want at most %v in all", f.Every, f.Times, maxDuration)
			continue
		}
		if last := f.At + units.Duration(f.Times-1)*f.Every; last >= spec.Limit {
			d.add(f.at, path+".at", "%v is when it last strikes, and limit ends the run at %v: strike before, or raise limit", last, spec.Limit)
		}
	}
	if occurrences > maxTimes {
		d.add(spec.Faults[0].at, "spec.faults", "%d occurrences in all: want at most %d", occurrences, maxTimes)
	}
	d.sortByLine()
	return d.problems
}

// eachDuration calls fn for every duration under v with its path in the file.
func eachDuration(v reflect.Value, path string, fn func(path string, d units.Duration)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			switch {
			case name == "" && f.Name == "Params":
				name = v.FieldByName("Kind").String()
			case name == "" && !f.Anonymous:
				name = strings.ToLower(f.Name)
			}
			below := path
			if name != "" && name != "-" {
				below = join(path, name)
			}
			eachDuration(v.Field(i), below, fn)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			eachDuration(v.Elem(), path, fn)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachDuration(v.Index(i), fmt.Sprintf("%s[%d]", path, i), fn)
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			eachDuration(v.MapIndex(k), join(path, k.String()), fn)
		}
	case reflect.Int64:
		if v.Type() == durationType {
			fn(path, units.Duration(v.Int()))
		}
	}
}

// resolver carries the problems of one Resolve.
type resolver struct {
	*Resolved
	d   *decoder
	dir string
}

func (v *resolver) resolve(spec *Spec) {
	g, err := v.topology.Build(func(name string) uint32 {
		v.seeds[name] = uint32(seed.Derive(v.Seed, "switch/"+name))
		return v.seeds[name]
	})
	if err != nil {
		v.d.addAll(spec.Topology.at.get(v.topologyKind), "spec.topology."+v.topologyKind, err)
		return
	}
	v.Graph = g
	v.devices(spec)
	v.workloads(spec)
	for i := range spec.Faults {
		v.fault(&spec.Faults[i], fmt.Sprintf("spec.faults[%d]", i))
	}
	v.Plan.Sort()
	v.expectations(spec)
}

func (v *resolver) devices(spec *Spec) {
	for h := range fabric.NodeID(v.Graph.Hosts()) {
		s := spec.Device.DeviceSettings
		for _, o := range spec.Device.Overrides {
			if o.Host == v.Graph.Nodes[h].Name {
				s = o.DeviceSettings
			}
		}
		v.Devices = append(v.Devices, s.config(v.Lab, v.Graph, h, v.Run, v.Seed))
	}
	for i, o := range spec.Device.Overrides {
		if n, ok := v.Graph.Node(o.Host); !ok || !v.Graph.Nodes[n].Host() {
			v.d.add(o.at, fmt.Sprintf("spec.device.overrides[%d].host", i), "no host is called %q: want host0 to host%d", o.Host, v.Graph.Hosts()-1)
		}
	}
}

func (v *resolver) workloads(spec *Spec) {
	for i := range spec.Workloads {
		w := &spec.Workloads[i]
		flows, err := w.Params.Flows(workload.Context{Graph: v.Graph, Dir: v.dir, Key: seed.Derive(v.Seed, "workload/"+w.Name), Stretch: spec.Stretch})
		v.d.addAll(w.at.get(w.Kind), fmt.Sprintf("spec.workloads[%d].%s", i, w.Kind), err)
		if len(v.Flows)+len(flows) > workload.MaxFlows {
			v.d.add(w.at, fmt.Sprintf("spec.workloads[%d]", i), "the workloads up to here have %d flows: want at most %d in all", len(v.Flows)+len(flows), workload.MaxFlows)
			return
		}
		for _, f := range flows {
			f.Index, f.Workload = int32(len(v.Flows)), int32(i)
			v.Flows = append(v.Flows, f)
		}
		v.Names = append(v.Names, w.Name)
	}
	need := make([]uint64, v.Graph.Hosts())
	source, target := host.Layout(v.Flows)
	for i := range v.Flows {
		f := &v.Flows[i]
		need[f.From] = max(need[f.From], uint64(source[i])+f.Buffer())
		need[f.To] = max(need[f.To], uint64(target[i])+f.Buffer())
	}
	for h, n := range need {
		if guest := v.Devices[h].Memory.Guest; n > guest {
			v.d.problems = append(v.d.problems, Problem{
				v.d.file, 0, "spec.device.memory.guest",
				fmt.Sprintf("%v: the buffers of host%d need %v", units.Size(guest), h, units.Size(n)),
			})
		}
	}
}

// fault resolves one fault into its occurrences.
func (v *resolver) fault(f *Fault, path string) {
	key := seed.Derive(v.Seed, "fault/"+f.Name)
	targets, err := v.targets(f, key)
	if err != nil {
		at, field := f.at, path
		for _, s := range []Selector{f.Link, f.Device} {
			if s.at != nil {
				at, field = s.at, s.path
			}
		}
		v.d.addAll(at, field, err)
		return
	}
	for i := range f.Times {
		o := plan.Fault{
			Name: f.Name, Kind: f.Kind, At: f.At + units.Duration(i)*f.Every, For: f.For, Targets: targets,
			Key: key, Optional: f.Optional, Params: f.Params,
		}
		if f.Times > 1 {
			o.Name = fmt.Sprintf("%s#%d", f.Name, i+1)
			o.Key = seed.Derive(uint64(key), o.Name)
		}
		v.Plan.Faults = append(v.Plan.Faults, o)
	}
}

func (v *resolver) targets(f *Fault, key seed.Key) (out []plan.Target, err error) {
	r := seed.Derive(uint64(key), "select").Rand()
	if kind, _ := faults.Lookup(f.Kind); kind.Aim == faults.AtDevice {
		hosts, err := f.Device.hosts(v.Graph, r)
		for _, h := range hosts {
			out = append(out, plan.DeviceTarget(v.Graph, h))
		}
		return out, err
	}
	links, err := f.Link.links(v.Graph, r)
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		dirs, err := directions(v.Graph, l, f.Ways)
		if err != nil {
			return nil, err
		}
		for _, d := range dirs {
			out = append(out, plan.LinkTarget(v.Graph, d))
		}
	}
	return out, nil
}

// expectations checks what they refer to.
func (v *resolver) expectations(spec *Spec) {
	var named []string
	for i := range spec.Faults {
		named = append(named, spec.Faults[i].Name)
	}
	for i := range spec.Expect {
		e := &spec.Expect[i]
		v.Expected = append(v.Expected, Expected{e.Kind, e.Params})
		if e.Params == nil {
			continue
		}
		path := fmt.Sprintf("spec.expect[%d].%s", i, e.Kind)
		refs := e.Params.Refs()
		for _, w := range refs.Workloads {
			if !slices.Contains(v.Names, w) {
				v.d.add(e.at, path, "no workload is called %q: want one of %v", w, v.Names)
			}
		}
		for _, f := range refs.Faults {
			if !slices.Contains(named, f) {
				v.d.add(e.at, path, "no fault is called %q: want one of %v", f, named)
			}
		}
	}
}

var durationType = reflect.TypeFor[units.Duration]()

// stretch multiplies every duration under v, except those of fields called rto.
func stretch(v reflect.Value, by int64) {
	if by == 1 {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && !hasRTO(f) {
				stretch(v.Field(i), by)
			}
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			stretch(v.Elem(), by)
		}
	case reflect.Slice:
		for i := range v.Len() {
			stretch(v.Index(i), by)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			stretch(v.MapIndex(k), by) // reaches what an entry points to
		}
	case reflect.Int64:
		if v.Type() == durationType && v.CanSet() {
			if v.Int() > math.MaxInt64/by {
				v.SetInt(math.MaxInt64) // beyond every bound, so that what validates refuses it
				return
			}
			v.SetInt(v.Int() * by)
		}
	}
}

// hasRTO says that a field is the retransmission timeout by its tag.
func hasRTO(f reflect.StructField) bool {
	name := f.Tag.Get("yaml")
	return len(name) >= 3 && name[:3] == "rto"
}
