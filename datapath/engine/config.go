package engine

import (
	"errors"
	"fmt"
	"time"
)

// Config describes the transport of one device. The zero value of a field marked with a default means that
// default; Validate tells what is wrong with the rest.
type Config struct {
	Addr          uint32        // own IPv4 address, host byte order
	MTU           uint32        // payload bytes per packet, 256 to 8192; default 4096
	RTO           time.Duration // floor of the retransmission timeout; default 250 µs (Stellar §7)
	Retries       int           // timeouts of one packet without progress before the work request fails; default 7, negative: none
	AckEvery      uint32        // payload bytes received per acknowledgement; default 16 KiB
	Relaxed       bool          // place packets on arrival; default is strict ordering
	ReceiveBuffer uint64        // bytes that may wait at the responder, per queue pair; also what a requester has outstanding at most; default 16 MiB
	SendQueue     uint32        // work requests per queue pair that are posted and not completed; default 8192
}

// Bounds of Config.
const (
	minMTU     = 256
	maxMTU     = 8192
	maxPackets = 1 << 20 // of one queue pair outstanding: far below half of the PSN space
)

// withDefaults returns c with its defaults filled in.
func (c Config) withDefaults() Config {
	if c.MTU == 0 {
		c.MTU = 4096
	}
	if c.RTO == 0 {
		c.RTO = 250 * time.Microsecond
	}
	if c.Retries == 0 {
		c.Retries = 7
	}
	c.Retries = max(c.Retries, 0)
	if c.AckEvery == 0 {
		c.AckEvery = 16 << 10
	}
	if c.ReceiveBuffer == 0 {
		c.ReceiveBuffer = 16 << 20
	}
	if c.SendQueue == 0 {
		c.SendQueue = 8192
	}
	return c
}

// Validate says which fields are out of range and what would be right; all of them, joined. It changes
// nothing.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if c.MTU < minMTU || c.MTU > maxMTU {
		errs = append(errs, fmt.Errorf("engine: MTU %d: want %d to %d bytes", c.MTU, minMTU, maxMTU))
	}
	if c.RTO < 0 {
		errs = append(errs, fmt.Errorf("engine: RTO %v: want more than 0", c.RTO))
	}
	if c.Retries > 255>>1 {
		errs = append(errs, fmt.Errorf("engine: Retries %d: want at most 127", c.Retries))
	}
	if c.ReceiveBuffer < uint64(c.MTU) || c.ReceiveBuffer/max(uint64(c.MTU), 1) > maxPackets {
		errs = append(errs, fmt.Errorf("engine: ReceiveBuffer %d: want one to %d packets of %d bytes", c.ReceiveBuffer, maxPackets, c.MTU))
	}
	return errors.Join(errs...)
}
