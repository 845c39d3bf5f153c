package scenario

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/stellarlab/stellarlab/internal/units"
)

// Labs are the labs that a scenario may name.
var Labs = []string{"netns", "sim"}

// Scenario is a scenario file that has been read and checked for the lab that it names; Resolve decides the rest.
// The tree is kept, so that another lab and settings from the command line can be laid over it.
type Scenario struct {
	Path string
	Text []byte // as read
	root *node
}

// Options choose what Resolve resolves.
type Options struct {
	Lab  string   // "": what the file says, else sim
	Seed *uint64  // nil: what the file says, else Draw
	Draw uint64   // the seed where neither file nor caller gives one
	Set  []string // path=value, in order
}

// Load reads a scenario file and checks it for every lab that it mentions. The error is Problems: all of them.
func Load(path string) (*Scenario, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse checks the text of a scenario; path names it in problems, and files that it refers to lie beside it.
func Parse(path string, text []byte) (*Scenario, error) {
	root, problems := parse(path, text)
	if len(problems) > 0 {
		return nil, problems
	}
	s := &Scenario{Path: path, Text: text, root: root}
	var all Problems
	for _, lab := range s.labs() {
		if _, err := s.Resolve(Options{Lab: lab}); err != nil {
			for _, p := range err.(Problems) { //nolint:errorlint // Resolve's error is Problems
				if !slices.Contains(all, p) {
					all = append(all, p)
				}
			}
		}
	}
	if len(all) > 0 {
		return nil, all
	}
	return s, nil
}

// labs returns the labs that the scenario has to be right for: its own and those that it has overrides for.
func (s *Scenario) labs() []string {
	labs := []string{""}
	if spec := s.root.get("spec"); spec != nil && spec.kind == mapping {
		if l := spec.get("labs"); l != nil && l.kind == mapping {
			for _, k := range l.keys {
				if slices.Contains(Labs, k) {
					labs = append(labs, k)
				}
			}
		}
	}
	return labs
}

var nameForm = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// decodeFor decodes the tree for one lab: overrides and settings are laid over it first.
func (s *Scenario) decodeFor(o Options) (f *File, lab string, problems Problems) {
	d := &decoder{file: s.Path}
	root := deepClone(s.root)
	spec := root.get("spec")
	if spec == nil || spec.kind != mapping {
		d.add(root, "spec", "missing: want a mapping of %v", fieldNames(reflect.TypeOf(Spec{})))
		return nil, "", d.problems
	}
	d.set(root, o.Set, true)
	if spec = root.get("spec"); spec.kind != mapping {
		d.add(spec, "spec", "%s, where a mapping is wanted", spec.kind)
		return nil, "", d.problems
	}
	lab = o.Lab
	if l := spec.get("lab"); lab == "" && l != nil {
		lab = l.text
	}
	if lab == "" {
		lab = "sim"
	}
	if !slices.Contains(Labs, lab) {
		at := root
		if l := spec.get("lab"); l != nil {
			at = l
		}
		d.add(at, "spec.lab", "no lab is called %q: want sim or netns", lab)
		return nil, "", d.problems
	}
	if l := spec.get("labs"); l != nil {
		spec = d.overlay(spec, l, lab)
		root.put("spec", spec)
	}
	d.set(root, o.Set, false) // the command line has the last word
	f = &File{}
	d.decode(root, reflect.ValueOf(f).Elem(), "")
	d.frame(root, f)
	d.sortByLine()
	return f, lab, d.problems
}

// set applies the assignments that choose the lab or change what differs there, or all the others.
func (d *decoder) set(root *node, assignments []string, labs bool) {
	for _, a := range assignments {
		path, _, _ := strings.Cut(strings.TrimPrefix(a, "spec."), "=")
		first, _, _ := strings.Cut(path, ".")
		if (first == "lab" || first == "labs" || first == "spec") != labs {
			continue
		}
		if err := setPath(root, a); err != nil {
			d.problems = append(d.problems, Problem{File: d.file, What: err.Error()})
		}
	}
}

// overlay lays labs.LAB over spec.
func (d *decoder) overlay(spec, labs *node, lab string) *node {
	if labs.kind != mapping {
		d.add(labs, "spec.labs", "%s, where a mapping of labs is wanted", labs.kind)
		return spec
	}
	for i, k := range labs.keys {
		if !slices.Contains(Labs, k) {
			d.unknown(labs, i, "spec.labs", Labs)
		}
	}
	out := clone(spec)
	out.remove("labs")
	over := labs.get(lab)
	if over == nil {
		return out
	}
	if over.kind != mapping {
		d.add(over, "spec.labs."+lab, "%s, where a mapping of spec's fields is wanted", over.kind)
		return out
	}
	return merge(out, over)
}

func deepClone(n *node) *node {
	c := clone(n)
	for i := range c.items {
		c.items[i] = deepClone(c.items[i])
	}
	return c
}

// maxStretch bounds stretch.
const maxStretch = 10_000

// frame checks the fields of the file's frame.
func (d *decoder) frame(root *node, f *File) {
	at := func(key string) *node {
		if n := root.get(key); n != nil {
			return n
		}
		return root
	}
	if f.APIVersion != Version {
		d.add(at("apiVersion"), "apiVersion", "%q: want %s", f.APIVersion, Version)
	}
	if f.Kind != Kind {
		d.add(at("kind"), "kind", "%q: want %s", f.Kind, Kind)
	}
	if !nameForm.MatchString(f.Metadata.Name) || len(f.Metadata.Name) > 63 {
		d.add(at("metadata"), "metadata.name", "%q: want up to 63 lower-case letters, digits and dashes", f.Metadata.Name)
	}
	spec := root.get("spec")
	s := &f.Spec
	if spec.get("topology") == nil {
		d.add(spec, "spec.topology", "missing: want a topology, such as %s", "leafspine: {leaves: 2, spines: 8, hostsPerLeaf: 4}")
	}
	if len(s.Workloads) == 0 {
		d.add(spec, "spec.workloads", "missing: without traffic nothing can be shown")
	}
	if spec.get("device") == nil {
		s.Device.DeviceSettings = defaultDevice()
	}
	if spec.get("limit") == nil {
		s.Limit = 10e9
	} else if s.Limit < 1000 || s.Limit > units.Duration(24*3600e9) {
		d.add(spec.get("limit"), "spec.limit", "%v: want 1us to 24h", s.Limit)
	}
	if n := spec.get("sample"); n != nil && s.Sample < 1000 {
		d.add(n, "spec.sample", "%v: want 1us or more", s.Sample)
	}
	if spec.get("stretch") == nil {
		s.Stretch = 1
	} else if s.Stretch < 1 || s.Stretch > maxStretch {
		d.add(spec.get("stretch"), "spec.stretch", "%d: want 1 to %d", s.Stretch, maxStretch)
	}
	seen := map[string]int{}
	twice := func(n *node, name, path string) {
		if line, dup := seen[name]; dup && name != "" {
			d.add(n, path+".name", "%q is taken in line %d: workloads and faults have names of their own", name, line)
		} else {
			seen[name] = n.line
		}
	}
	for i := range s.Workloads {
		twice(s.Workloads[i].at, s.Workloads[i].Name, fmt.Sprintf("spec.workloads[%d]", i))
	}
	for i := range s.Faults {
		twice(s.Faults[i].at, s.Faults[i].Name, fmt.Sprintf("spec.faults[%d]", i))
	}
}

// dir is where the files that the scenario refers to lie.
func (s *Scenario) dir() string { return filepath.Dir(s.Path) }
