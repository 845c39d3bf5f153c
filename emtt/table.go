package emtt

import (
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/stellarlab/stellarlab/internal/lru"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// Config describes a table.
type Config struct {
	Entries int           // cached translations; 0: the cache holds all, as the eMTT's own table does
	Cost    time.Duration // of fetching an entry that is not cached
	Regions int           // how many regions may exist; 0: 1 << 20
}

// maxRegions is the number of keys: 24 bits of index.
const maxRegions = 1 << 24

// Errors of the control calls. None of them changes anything.
var (
	ErrKey  = errors.New("emtt: no region has this key")
	ErrFull = errors.New("emtt: table full")
)

// Table is the translation table of one device.
type Table struct {
	cfg     Config
	entries []entry
	free    []uint32
	live    int
	levels  []levelAt
	cache   lru.Set[pageKey]
	granted map[pageKey]bool // fetched, not used yet: the next look-up of that page passes every level
	waiting map[pageKey]uint64
	tickets map[uint64]pageKey
	next    uint64
	out     []Miss // taken up to taken: the room is used again when all are
	taken   int
}

type entry struct {
	Region
	shift      uint
	generation uint8
	live       bool
}

// pageKey names one translation: a key with its generation, and a page of that region.
type pageKey struct {
	key  mem.Key
	page uint64
}

// New returns an empty table.
func New(cfg Config) (*Table, error) {
	if cfg.Regions == 0 {
		cfg.Regions = 1 << 20
	}
	if cfg.Entries < 0 || cfg.Regions < 0 || cfg.Regions > maxRegions || cfg.Cost < 0 {
		return nil, fmt.Errorf("emtt: Entries %d, Regions %d, Cost %v: want none negative, Regions at most %d", cfg.Entries, cfg.Regions, cfg.Cost, maxRegions)
	}
	return &Table{
		cfg: cfg, granted: map[pageKey]bool{}, waiting: map[pageKey]uint64{}, tickets: map[uint64]pageKey{},
		cache: lru.Set[pageKey]{Limit: cfg.Entries},
	}, nil
}

// Register adds a region and returns its key. The key of a region that is gone never comes back within 256
// registrations of its slot.
func (t *Table) Register(r Region) (mem.Key, error) {
	if err := r.Validate(); err != nil {
		return 0, err
	}
	if r.Page == 0 {
		r.Page = MinPage
	}
	var i uint32
	switch n := len(t.free); {
	case n > 0:
		i = t.free[n-1]
		t.free = t.free[:n-1]
	case len(t.entries) < t.cfg.Regions:
		i = uint32(len(t.entries))
		t.entries = append(t.entries, entry{generation: 1})
	default:
		return 0, fmt.Errorf("%w: %d regions are registered", ErrFull, t.live)
	}
	e := &t.entries[i]
	e.Region, e.live, e.shift = r, true, uint(bits.TrailingZeros64(r.Page))
	t.live++
	return mem.Key(i<<8 | uint32(e.generation)), nil
}

// Deregister removes a region: from now on its key is refused.
func (t *Table) Deregister(key mem.Key) error {
	e := t.region(key)
	if e == nil {
		return fmt.Errorf("%w: %#x", ErrKey, uint32(key))
	}
	e.live = false
	e.generation++
	t.live--
	t.cache.DropIf(func(k pageKey) bool { return k.key == key })
	for k := range t.granted {
		if k.key == key {
			delete(t.granted, k)
		}
	}
	t.free = append(t.free, uint32(key>>8))
	return nil
}

// Regions is the number of live regions.
func (t *Table) Regions() int { return t.live }

// Check says whether a would be allowed. It looks nothing up and moves no counter.
func (t *Table) Check(a *Access) Verdict {
	_, v := t.check(a)
	return v
}

func (t *Table) check(a *Access) (*entry, Verdict) {
	e := t.region(a.Key)
	switch {
	case e == nil:
		return nil, BadKey
	case e.PD != a.PD:
		return nil, WrongDomain
	case a.Rights&^e.Rights != 0:
		return nil, NoRights
	case a.Len == 0:
		return e, Allowed
	case a.VA < e.VA || uint64(a.Len) > e.Len || uint64(a.VA-e.VA) > e.Len-uint64(a.Len):
		return nil, OutOfBounds
	}
	return e, Allowed
}

// region returns the live region with this key, or nil.
func (t *Table) region(key mem.Key) *entry {
	i := uint32(key >> 8)
	if i >= uint32(len(t.entries)) {
		return nil
	}
	e := &t.entries[i]
	if !e.live || e.generation != uint8(key) {
		return nil
	}
	return e
}
