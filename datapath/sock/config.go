//go:build linux

package sock

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Defaults of Config.
const (
	DefaultBatch  = 64
	DefaultNap    = 50 * time.Microsecond
	DefaultAwake  = time.Millisecond
	DefaultBuffer = 64 << 20
)

// Config describes one loop.
type Config struct {
	Addr  netip.Addr // of the device: IPv4, on an interface of the namespace
	Clock *Clock     // lab time, shared by all loops of a lab
	MTU   uint32     // payload bytes per packet: what the receive buffers must hold

	// Within runs f inside the network namespace of the device, on one thread; sockets are opened there and
	// used from anywhere. nil: the namespace of the process.
	Within func(f func() error) error

	Batch  int           // packets per system call, at most; 0: DefaultBatch
	Nap    time.Duration // sleep of a loop that has just had nothing to do; 0: DefaultNap
	Awake  time.Duration // how long a loop naps before it blocks until a packet comes; 0: DefaultAwake
	Buffer int           // bytes of each socket buffer; 0: DefaultBuffer
}

// Validate says which fields are wrong, and what would be right.
func (c *Config) Validate() error {
	var errs []error
	if !c.Addr.Is4() {
		errs = append(errs, fmt.Errorf("address %v: Addr must be IPv4", c.Addr))
	}
	if c.Clock == nil {
		errs = append(errs, errors.New("no clock: Clock must be the one that all loops of the lab share"))
	}
	if c.MTU < 256 || c.MTU > 8192 {
		errs = append(errs, fmt.Errorf("payloads of %d bytes: MTU must be 256 to 8192", c.MTU))
	}
	if c.Batch < 0 || c.Batch > 1024 {
		errs = append(errs, fmt.Errorf("batches of %d packets: Batch must be 0 to 1024", c.Batch))
	}
	if c.Nap < 0 || c.Awake < 0 || c.Buffer < 0 {
		errs = append(errs, fmt.Errorf("nap %v, awake %v, buffer %d: Nap, Awake and Buffer must not be negative", c.Nap, c.Awake, c.Buffer))
	}
	return errors.Join(errs...)
}

// filled returns c with its defaults.
func (c Config) filled() Config {
	if c.Batch == 0 {
		c.Batch = DefaultBatch
	}
	if c.Nap == 0 {
		c.Nap = DefaultNap
	}
	if c.Awake == 0 {
		c.Awake = DefaultAwake
	}
	if c.Buffer == 0 {
		c.Buffer = DefaultBuffer
	}
	return c
}
