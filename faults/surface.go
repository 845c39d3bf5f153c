package faults

import (
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/seed"
)

// Surfaces is where faults can act in one lab. A nil surface is not there; a kind that needs it is then
// refused by name before anything is touched. Calls come from one goroutine at a time.
type Surfaces struct {
	Links       Links
	Pages       Pages
	Translation Translation
}

// Links lays layers over link directions.
type Links interface {
	// Lay adds a layer to a direction. The effective condition is the fold of all layers there.
	Lay(d fabric.Dir, l fabric.Layer) (Overlay, error)
}

// Pages makes guest pages go away under a device.
type Pages interface {
	// Mapped returns the blocks that are mapped for DMA now, by ascending address.
	Mapped(host fabric.NodeID) ([]mem.Span, error)
	// Evict unmaps and drops the blocks as the host kernel would: invalidation first, then the pages go; their
	// content is kept and comes back on the next touch. It returns how many pages (4 KiB) really went.
	Evict(host fabric.NodeID, blocks []mem.Span) (pages uint64, err error)
}

// Misses is a miss storm over the translation cache of one device.
type Misses struct {
	Fault int32         // index of the fault occurrence in the plan
	Rate  float64       // probability in [0,1] that a lookup misses
	Cost  time.Duration // until the entry is fetched
	Key   seed.Key
}

// Translation makes a device's translations miss.
type Translation interface {
	Miss(host fabric.NodeID, m Misses) (Overlay, error)
}

// Overlay is a layer that lies on its target.
type Overlay interface {
	// Counters is the evidence so far: Seen, Matched and Masked, counted by the target.
	Counters() (fabric.Counters, error)
	// Standing reads the target's own state back, by another way than Counters: whether the layer is in effect
	// (link state, map entry, cache overlay present).
	Standing() (bool, error)
	// Remove takes the layer off. Removing twice, or after the target has gone, is success.
	Remove() error
}
