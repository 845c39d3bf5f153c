package scenario

import (
	"errors"
	"fmt"

	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/topology"
	"github.com/stellarlab/stellarlab/framework/workload"
	"github.com/stellarlab/stellarlab/internal/units"
)

// Version and Kind are what the first two fields of a file must say.
const (
	Version = "stellarlab.dev/v1alpha1"
	Kind    = "Scenario"
)

// File is a decoded scenario, for one lab.
type File struct {
	APIVersion string   `yaml:"apiVersion" doc:"stellarlab.dev/v1alpha1"`
	Kind       string   `yaml:"kind" doc:"Scenario"`
	Metadata   Metadata `yaml:"metadata"`
	Spec       Spec     `yaml:"spec"`
}

// Metadata names a scenario.
type Metadata struct {
	Name   string            `yaml:"name" doc:"lower-case letters, digits and dashes"`
	Labels map[string]string `yaml:"labels,omitempty"`
}

// Spec is what is asked.
type Spec struct {
	Lab       string         `yaml:"lab,omitempty" default:"sim" doc:"sim or netns; the command line may override it"`
	Seed      *uint64        `yaml:"seed,omitempty" doc:"of every random choice; drawn, printed and recorded when it is not given"`
	Limit     units.Duration `yaml:"limit,omitempty" default:"10s" doc:"hard stop, lab time"`
	Sample    units.Duration `yaml:"sample,omitempty" doc:"of goodput; 100us in the simulator, 50ms in namespaces"`
	Stretch   int            `yaml:"stretch,omitempty" default:"1" doc:"multiplies every duration but rto"`
	Topology  Topology       `yaml:"topology"`
	Device    Device         `yaml:"device,omitempty"`
	Workloads []Workload     `yaml:"workloads"`
	Faults    []Fault        `yaml:"faults,omitempty"`
	Expect    []Expectation  `yaml:"expect,omitempty"`
	Labs      map[string]any `yaml:"labs,omitempty" doc:"by lab, what differs there: any field of spec"`
}

// Topology is one entry of the topology catalogue.
type Topology struct {
	Kind   string
	Params topology.Params
	at     *node
}

// Workload is one entry of the workload catalogue under a name.
type Workload struct {
	Name   string
	Kind   string
	Params workload.Params
	at     *node
}

// Fault is one entry of the fault catalogue, in time and at targets that may be chosen by the seed.
type Fault struct {
	Name     string
	Kind     string
	At       units.Duration
	For      units.Duration
	Every    units.Duration
	Times    int
	Optional bool
	Link     Selector
	Device   Selector
	Ways     string // direction
	Params   faults.Fault
	at       *node
}

// Expectation is one entry of the expectation catalogue.
type Expectation struct {
	Kind   string
	Params expect.Params
	at     *node
}

// one finds the single key of n that names a kind; frame are the keys that do not.
func one(d *decoder, n *node, path, what string, frame, kinds []string) (kind string, value *node) {
	for i, k := range n.keys {
		if contains(frame, k) {
			continue
		}
		if !contains(kinds, k) {
			d.unknown(n, i, path, append(append([]string(nil), kinds...), frame...))
			if kind == "" {
				kind = "?"
			}
			continue
		}
		if kind != "" && kind != "?" {
			d.problems = append(d.problems, Problem{d.file, n.lines[i], join(path, k), fmt.Sprintf("a second kind beside %s: an entry has one; make two entries", kind)})
			continue
		}
		kind, value = k, n.items[i]
	}
	if kind == "" {
		d.add(n, path, "no %s kind: want one of %v", what, kinds)
	}
	if value == nil {
		return "", nil
	}
	return kind, value
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

var errInvariant = errors.New("always on; it takes no parameters here")

// invariants may be listed among the expectations: they are on, listed or not.
var invariants = []string{
	"exactlyOnce", "integrity", "isolation", "ledger", "ordering", "progress", "residue", "translationSafety",
}
