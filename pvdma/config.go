package pvdma

import (
	"errors"
	"fmt"

	"github.com/stellarlab/stellarlab/internal/mem"
)

// Mode says when guest memory is pinned.
type Mode string

// The modes: PVDMA and its baselines (Stellar §3.1 problem 2, §5).
const (
	OnDemand      Mode = "onDemand"      // a block is pinned when a DMA first touches it
	PinAll        Mode = "pinAll"        // every block is pinned before the first DMA, as VFIO does
	PinRegistered Mode = "pinRegistered" // blocks are pinned when a memory region over them is registered
)

// Bounds of Config.
const (
	MinBlock = 4 << 10
	MaxBlock = 1 << 30
	MaxGuest = 2 << 40
)

// Config describes the guest memory of one device.
type Config struct {
	Guest    uint64 // bytes, a multiple of 4 KiB, at most 2 TiB
	Block    uint64 // bytes, a power of two from 4 KiB to 1 GiB; 0: 2 MiB
	Mode     Mode   // "": OnDemand
	MapCache int    // entries; 0: unlimited
}

func (c Config) withDefaults() Config {
	if c.Block == 0 {
		c.Block = 2 << 20
	}
	if c.Mode == "" {
		c.Mode = OnDemand
	}
	return c
}

// Validate says which fields are wrong and what would be right; all of them, joined.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if c.Guest < MinBlock || c.Guest > MaxGuest || c.Guest%MinBlock != 0 {
		errs = append(errs, fmt.Errorf("pvdma: Guest %d: want a multiple of 4 KiB up to 2 TiB", c.Guest))
	}
	if c.Block < MinBlock || c.Block > MaxBlock || c.Block&(c.Block-1) != 0 {
		errs = append(errs, fmt.Errorf("pvdma: Block %d: want a power of two from 4 KiB to 1 GiB", c.Block))
	}
	switch c.Mode {
	case OnDemand, PinAll, PinRegistered:
	default:
		errs = append(errs, fmt.Errorf("pvdma: Mode %q: want onDemand, pinAll or pinRegistered", c.Mode))
	}
	if c.MapCache < 0 {
		errs = append(errs, fmt.Errorf("pvdma: MapCache %d: want 0 for unlimited or a number of entries", c.MapCache))
	}
	return errors.Join(errs...)
}

// ErrOutside is a span that does not lie in the guest's memory.
type ErrOutside struct {
	Span  mem.Span
	Guest uint64 // bytes
}

// Error names the span and the guest's size.
func (e *ErrOutside) Error() string {
	return fmt.Sprintf("pvdma: %v is outside the guest memory of %d bytes", e.Span, e.Guest)
}
