//go:build linux

package impair

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"

	"github.com/stellarlab/stellarlab/datapath/fabric"
)

// slot is one layer as the program sees it. All words, so that no update tears one.
type slot struct {
	Enabled   uint64 // 0 or 1
	Blackhole uint64
	Order     uint64 // of injection: the lowest that hits is credited
	Loss      uint64 // fabric.Threshold
	Corrupt   uint64 // fabric.Threshold
	Key       uint64
}

// config is the value of the map that user space writes and the program only reads.
type config struct {
	Active uint64 // enabled slots; 0 lets the program skip them all
	Zero   uint64 // always: see impairment
	Slots  [Slots]slot
}

// counts is the value of the map that the program writes and user space only reads.
type counts struct {
	Totals Totals
	Layers [Slots]fabric.Counters
}

// Offsets and sizes of the values above, bytes. A test holds them to the Go types.
const (
	sizeSlot   = 48
	sizeHead   = 16
	sizeConfig = sizeHead + Slots*sizeSlot
	sizeTotals = 64
	sizeLayer  = 24
	sizeCounts = sizeTotals + Slots*sizeLayer
	sizeSent   = 24
)

// maps are the two kernel maps of one direction. Each has one entry, so that the program addresses its
// value directly, without a lookup.
type maps struct {
	config *ebpf.Map
	counts *ebpf.Map
}

func newMaps() (*maps, error) {
	c, err := newMap("stl_layers", sizeConfig)
	if err != nil {
		return nil, err
	}
	n, err := newMap("stl_counts", sizeCounts)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &maps{config: c, counts: n}, nil
}

// newMap makes an array of one value of size bytes, all zero.
func newMap(name string, size uint32) (*ebpf.Map, error) {
	m, err := ebpf.NewMap(&ebpf.MapSpec{
		Name: name, Type: ebpf.Array, KeySize: 4, ValueSize: size, MaxEntries: 1,
	})
	if err != nil {
		return nil, fmt.Errorf("create eBPF map %s of %d bytes: %w", name, size, err)
	}
	return m, nil
}

// write stores c. Words that do not change are rewritten with the same value, so a packet on another
// processor sees the old or the new value of the words that do.
func (m *maps) write(c *config) error {
	if err := m.config.Put(uint32(0), c); err != nil {
		return fmt.Errorf("write impairment layers: %w", err)
	}
	return nil
}

// read returns what the kernel holds.
func (m *maps) read() (c config, err error) {
	if err := m.config.Lookup(uint32(0), &c); err != nil {
		return config{}, fmt.Errorf("read impairment layers: %w", err)
	}
	return c, nil
}

func (m *maps) tally() (c counts, err error) {
	if err := m.counts.Lookup(uint32(0), &c); err != nil {
		return counts{}, fmt.Errorf("read impairment counters: %w", err)
	}
	return c, nil
}

func (m *maps) Close() error { return errors.Join(m.config.Close(), m.counts.Close()) }
