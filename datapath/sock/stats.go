//go:build linux

package sock

import (
	"sync/atomic"
	"time"
)

// Stats is what a loop counted itself. The ledger's counts are the fabric's (datapath/impair); these explain
// what happened between a device and the fabric.
type Stats struct {
	Sent       uint64        // packets that the kernel took
	Received   uint64        // packets that the socket gave
	Rejected   uint64        // of those, not decodable
	Full       uint64        // packets of the device given up because the send buffer stayed full: lost at the host
	Unroutable uint64        // packets of the device that the kernel had no way for: lost at the host
	Overflow   uint64        // packets that the kernel dropped because the receive buffer was full: lost at the host
	Late       time.Duration // the worst lateness of a deadline
	Turns      uint64        // of the loop: few while there is nothing to do
}

// stats is Stats while it grows: written by the loop only.
type stats struct {
	sent, received, rejected, full, unroutable, turns atomic.Uint64
	late                                              atomic.Int64
	overflow                                          uint64 // as last read
}

// read is called by one goroutine at a time.
func (s *stats) read(k *sockets) (st Stats, err error) {
	if k.rx >= 0 {
		if s.overflow, err = k.overflow(); err != nil {
			return Stats{}, err
		}
	}
	return Stats{
		Sent:       s.sent.Load(),
		Received:   s.received.Load(),
		Rejected:   s.rejected.Load(),
		Full:       s.full.Load(),
		Unroutable: s.unroutable.Load(),
		Overflow:   s.overflow,
		Late:       time.Duration(s.late.Load()),
		Turns:      s.turns.Load(),
	}, nil
}
