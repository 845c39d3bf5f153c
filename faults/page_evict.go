package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/units"
)

// PageEvict are the parameters of page.evict.
type PageEvict struct {
	Share  units.Share    `yaml:"share" default:"50%" doc:"of the blocks mapped for DMA, at least one, that go each time"`
	Policy string         `yaml:"policy" default:"random" doc:"which go: random, or first (lowest addresses)"`
	Period units.Duration `yaml:"period" default:"1ms" doc:"until blocks are taken again, while the fault lasts"`
}

var pageEvict = Kind{
	Name:     "page.evict",
	Models:   "reclaim, ballooning or migration takes pinned guest pages away",
	Sim:      "the device's mappings go first, then the frames; content comes back in another frame on the next touch",
	Netns:    "the device's mappings go first, then the kernel really drops or swaps the pages; the next touch faults them in",
	Evidence: "pages that really went, counted by the memory",
	Undo:     "no further block is taken; what went comes back on touch",
	Composes: "each fault takes its share of what is mapped then",
	Example:  "{name: reclaim, at: 1ms, for: 5ms, page.evict: {device: host1/dev0, share: 50%}}",
	Aim:      AtDevice, Rule: ByTraffic, Needs: needsPages,
	New: func() Fault { return &PageEvict{Share: 0.5, Policy: "random", Period: 1e6} },
}

// minPeriod keeps a typing error from spending the whole run on eviction.
const minPeriod = units.Duration(10_000)

// Validate implements Fault.
func (f *PageEvict) Validate() error {
	var errs []error
	if !(f.Share > 0 && f.Share <= 1) {
		errs = append(errs, fmt.Errorf("share is %v: want more than 0%% and at most 100%%", f.Share))
	}
	if f.Policy != "random" && f.Policy != "first" {
		errs = append(errs, fmt.Errorf("policy is %q: want random or first", f.Policy))
	}
	if f.Period < minPeriod {
		errs = append(errs, fmt.Errorf("period is %v: want at least %v", f.Period, minPeriod))
	}
	return errors.Join(errs...)
}

// Strike implements Fault.
func (f *PageEvict) Strike(s Surfaces, t Strike) (Active, error) {
	e := &eviction{PageEvict: *f, pages: s.Pages, host: t.Host, r: t.Key.Rand(), standing: true}
	if err := e.Again(); err != nil {
		return nil, err
	}
	return e, nil
}

// eviction is a page.evict that lasts.
type eviction struct {
	PageEvict
	pages    Pages
	host     fabric.NodeID
	r        *rand.Rand
	counters fabric.Counters
	standing bool
}

// Again implements Periodic: takes one more share.
func (e *eviction) Again() error {
	mapped, err := e.pages.Mapped(e.host)
	if err != nil || len(mapped) == 0 {
		return err
	}
	e.counters.Seen += uint64(len(mapped))
	n := min(len(mapped), max(1, int(float64(e.Share)*float64(len(mapped)))))
	if e.Policy == "random" {
		e.r.Shuffle(len(mapped), func(i, j int) { mapped[i], mapped[j] = mapped[j], mapped[i] })
	}
	mapped = mapped[:n]
	slices.SortFunc(mapped, func(a, b mem.Span) int { return int(int64(a.Start) - int64(b.Start)) })
	went, err := e.pages.Evict(e.host, mapped)
	e.counters.Matched += went
	return err
}

// Every implements Periodic.
func (e *eviction) Every() units.Duration { return e.Period }

// Counters implements Overlay: Seen counts blocks that were mapped, Matched pages that went.
func (e *eviction) Counters() (fabric.Counters, error) { return e.counters, nil }

// Standing implements Overlay.
func (e *eviction) Standing() (bool, error) { return e.standing, nil }

// Remove implements Overlay.
func (e *eviction) Remove() error {
	e.standing = false
	return nil
}

// Chance implements Active: what is mapped when the fault strikes is not its doing, so no count refutes it.
func (e *eviction) Chance() float64 { return always }
