// Package workload is the catalogue of traffic patterns: parameters in, flows out.
// It moves nothing: the application in datapath/host runs the flows.
package workload

import (
	"fmt"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/units"
)

// Params are the parameters of one pattern.
type Params interface {
	// Validate says which parameters are wrong and what would be right; all of them, joined.
	Validate() error
	// Flows returns the flows over the hosts of c, without Index and Workload.
	Flows(c Context) ([]host.Flow, error)
}

// Context is where a pattern is laid out.
type Context struct {
	Graph *fabric.Graph
	Dir   string   // of the scenario file: paths in it start there
	Key   seed.Key // stream of this workload's random choices
	// Stretch multiplies instants that the parameters do not hold but a file does; 0 is 1.
	Stretch int
}

// Common are the parameters that every pattern has.
type Common struct {
	Start  units.Duration `yaml:"start,omitempty" default:"0s" doc:"from release"`
	Verify string         `yaml:"verify,omitempty" default:"all" doc:"which bytes are compared with what they should be: all"`
	Cold   bool           `yaml:"cold,omitempty" default:"false" doc:"leave the buffers to be pinned on first touch, under traffic; else they are touched before release"`
}

func (c *Common) check() []error {
	if c.Verify != "" && c.Verify != "all" {
		return []error{fmt.Errorf("verify is %q: this build compares all bytes; want all", c.Verify)}
	}
	return nil
}

// Kind is one entry of the catalogue.
type Kind struct {
	Name    string
	Does    string // one sentence
	Example string
	New     func() Params // with defaults
}

// Catalogue returns every workload, by name.
func Catalogue() []Kind {
	return []Kind{
		flowsKind,
		permutationKind,
		writeKind,
	}
}

// Lookup returns the workload called name.
func Lookup(name string) (Kind, bool) {
	for _, k := range Catalogue() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Bounds of the parameters.
const (
	maxMessage = 1 << 31 // bytes (IBTA 9.7.7)
	maxDepth   = 4096
	maxFlows   = MaxFlows
	maxBuffer  = 8 << 30 // bytes of one flow's buffer
	maxStart   = units.Duration(1000 * time.Hour)
)

// MaxFlows bounds the flows of one workload, and of all of a scenario together.
const MaxFlows = 100_000

func checkSize(field string, n units.Size) []error {
	if n > maxMessage {
		return []error{fmt.Errorf("%s is %v: a message holds at most 2GiB", field, n)}
	}
	return nil
}

// hostNumber finds a host by name.
func hostNumber(g *fabric.Graph, name string) (int32, error) {
	n, ok := g.Node(name)
	if !ok || !g.Nodes[n].Host() {
		return 0, fmt.Errorf("no host is called %q: want host0 to host%d", name, g.Hosts()-1)
	}
	return int32(n), nil
}

func (c *Common) flow(from, to int32) host.Flow {
	return host.Flow{From: from, To: to, Start: time.Duration(c.Start), Cold: c.Cold}
}
