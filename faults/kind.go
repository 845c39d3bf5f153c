package faults

import (
	"sort"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/units"
)

// Aim says what a kind is aimed at, and so which target field a scenario gives.
type Aim uint8

// The aims.
const (
	AtLink   Aim = iota // field link (name or selector) and direction
	AtDevice            // field device (host2/dev0 or selector)
)

// Rule says how a fault of a kind is confirmed (SCENARIO §4).
type Rule uint8

// The rules.
const (
	ByState   Rule = iota // its state is read back while it is active
	ByTraffic             // its counter of packets, pages or look-ups is above zero
)

// Kind is one entry of the catalogue: everything there is to know of a kind of fault.
type Kind struct {
	Name     string
	Models   string // what happens in the world
	Sim      string // how it is done in the simulator
	Netns    string // how it is done in namespaces
	Evidence string // what proves that it acted
	Undo     string // how it ends
	Composes string // how it folds with another on the same target
	Example  string // a fault entry of a scenario
	Aim      Aim
	Rule     Rule
	Needs    string       // the surface: links, pages or translation
	New      func() Fault // parameters with their defaults
}

// Fault is the parameters of one fault: a struct with yaml, default and doc tags whose pointer strikes.
type Fault interface {
	// Validate says which parameters are wrong and what would be right; all of them, joined.
	Validate() error
	// Strike acts on one target and returns what undoes it. On an error nothing is left.
	Strike(s Surfaces, t Strike) (Active, error)
}

// Strike is where and as whom a fault acts.
type Strike struct {
	Dir   fabric.Dir    // AtLink: one direction
	Host  fabric.NodeID // AtDevice
	Index int32         // of the occurrence in the plan
	Key   seed.Key      // stream of this fault on this target
}

// Active is a fault that lies on its target.
type Active interface {
	Overlay
	// Chance is the probability that one thing that passed (Counters.Seen) was acted on; negative: not by chance,
	// then no count of what was acted on refutes it.
	Chance() float64
}

// Periodic is an Active that has to act again while it lasts.
type Periodic interface {
	Every() units.Duration
	Again() error
}

// Catalogue returns every kind, by name.
func Catalogue() []Kind {
	kinds := []Kind{
		linkBlackhole,
		linkCorrupt,
		linkDown,
		linkLoss,
		pageEvict,
		translationMiss,
	}
	sort.Slice(kinds, func(i, j int) bool { return kinds[i].Name < kinds[j].Name })
	return kinds
}

// Lookup returns the kind called name.
func Lookup(name string) (Kind, bool) {
	for _, k := range Catalogue() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Missing names the surface that k needs and s lacks; "" when it is there.
func (s Surfaces) Missing(k Kind) string {
	switch {
	case k.Needs == needsLinks && s.Links == nil,
		k.Needs == needsPages && s.Pages == nil,
		k.Needs == needsTranslation && s.Translation == nil:
		return k.Needs
	}
	return ""
}

// Names of the surfaces in Kind.Needs.
const (
	needsLinks       = "links"
	needsPages       = "pages"
	needsTranslation = "translation"
)
