// Package topology is the catalogue of network shapes: parameters in, graph out.
// It knows no lab: both build from the same graph.
package topology

import "github.com/stellarlab/stellarlab/datapath/fabric"

// Params are the parameters of one shape.
type Params interface {
	// Validate says which parameters are wrong and what would be right; all of them, joined.
	Validate() error
	// Build returns the graph. seed gives each switch, by name, the seed of its ECMP hash.
	Build(seed func(name string) uint32) (*fabric.Graph, error)
	// Shaped says that namespaces have to impose rate and delay.
	Shaped() bool
}

// Kind is one entry of the catalogue.
type Kind struct {
	Name    string
	Makes   string // one sentence
	Example string
	New     func() Params // with defaults
}

// Catalogue returns every topology, by name.
func Catalogue() []Kind {
	return []Kind{
		leafSpineKind,
		pairKind,
	}
}

// Lookup returns the topology called name.
func Lookup(name string) (Kind, bool) {
	for _, k := range Catalogue() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}
