package spray

import (
	"errors"
	"fmt"
	"time"

	"github.com/stellarlab/stellarlab/internal/seed"
)

// MaxPaths is the most paths that a queue pair may have.
const MaxPaths = 256

// Config describes the paths of one queue pair.
type Config struct {
	Policy      string        // name in the catalogue; "": oblivious
	Paths       int           // 1 to MaxPaths; 0: 128 (Stellar §7)
	MTU         uint32        // payload bytes of a full packet; 0: 4096
	Window      uint64        // bytes; upper bound and start of the congestion window; 0: 1 MiB
	BaseRTT     time.Duration // round trip of the idle fabric; 0: 10 µs
	TargetDelay time.Duration // queueing delay above which the window shrinks; 0: one BaseRTT
	Seed        seed.Key      // stream of this queue pair's choices
}

func (c Config) withDefaults() Config {
	if c.Policy == "" {
		c.Policy = "oblivious"
	}
	if c.Paths == 0 {
		c.Paths = 128
	}
	if c.MTU == 0 {
		c.MTU = 4096
	}
	if c.Window == 0 {
		c.Window = 1 << 20
	}
	if c.BaseRTT == 0 {
		c.BaseRTT = 10 * time.Microsecond
	}
	if c.TargetDelay == 0 {
		c.TargetDelay = c.BaseRTT
	}
	return c
}

// Validate says which fields are wrong and what would be right; all of them, joined.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if _, ok := Lookup(c.Policy); !ok {
		errs = append(errs, fmt.Errorf("spray: Policy %q: want one of %v", c.Policy, Names()))
	}
	if c.Paths < 1 || c.Paths > MaxPaths {
		errs = append(errs, fmt.Errorf("spray: Paths %d: want 1 to %d", c.Paths, MaxPaths))
	}
	if c.BaseRTT < 0 || c.TargetDelay < 0 {
		errs = append(errs, fmt.Errorf("spray: BaseRTT %v, TargetDelay %v: want more than 0", c.BaseRTT, c.TargetDelay))
	}
	return errors.Join(errs...)
}
