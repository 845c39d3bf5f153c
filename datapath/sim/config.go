package sim

import (
	"errors"
	"fmt"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// PinCost is the default time to pin 2 MiB: 174 ms per GiB, from the start-up times of Stellar §8.2, figure 6.
const PinCost = 340 * time.Microsecond

// Device is what the simulator needs of a *host.Device.
type Device interface {
	Receive(now vtime.Time, p *wire.Packet)
	Reject(now vtime.Time, cause event.RejectCause)
	Next(now vtime.Time, p *wire.Packet) bool
	Tick(now vtime.Time)
	Deadline() vtime.Time
	Request(now vtime.Time) (host.Request, bool)
	Answer(now vtime.Time, a host.Answer)
	Evict(now vtime.Time, blocks []mem.Span) []host.Request
	Idle() bool
}

// Host is one endpoint.
type Host struct {
	Device  Device
	Memory  *Memory
	MTU     uint32        // payload bytes of a full packet; needed with WireData
	Data    uint32        // bytes on the wire of a full data packet, a shorter one is less by what it lacks; 0: datagram plus wire.Framing
	Ack     uint32        // bytes on the wire of an acknowledgement; 0: datagram plus wire.Framing
	PinCost time.Duration // to pin 2 MiB, other blocks in proportion; one after the other. 0: PinCost; negative: none
}

// Config is all that a simulation is built from.
type Config struct {
	Graph *fabric.Graph
	Seed  uint64     // of the marking points' streams
	Hosts []Host     // by host number
	Sink  event.Sink // gets Dropped; nil: nobody
}

// Validate says which fields are wrong and what would be right; all of them, joined.
func (c *Config) Validate() error {
	if c.Graph == nil {
		return errors.New("sim: no Graph")
	}
	var errs []error
	if len(c.Hosts) != c.Graph.Hosts() {
		errs = append(errs, fmt.Errorf("sim: %d Hosts: want %d, one per host of the graph", len(c.Hosts), c.Graph.Hosts()))
	}
	if n := 2 * len(c.Graph.Links); n >= 1<<indexBits {
		errs = append(errs, fmt.Errorf("sim: %d link directions: want less than %d", n, 1<<indexBits))
	}
	for i := range c.Hosts {
		h := &c.Hosts[i]
		if h.Device == nil || h.Memory == nil {
			errs = append(errs, fmt.Errorf("sim: host %d has no Device or no Memory", i))
		}
		if h.Data != 0 && h.Data <= h.MTU {
			errs = append(errs, fmt.Errorf("sim: host %d: full data packet of %d bytes on the wire: want more than its payload of %d", i, h.Data, h.MTU))
		}
	}
	for i := range c.Graph.Links {
		l := &c.Graph.Links[i]
		if e := l.ECN; e.Max < e.Min || e.Probability < 0 || e.Probability > 1 {
			errs = append(errs, fmt.Errorf("sim: link %s: ECN from %d to %d bytes with probability %v: want min ≤ max and a probability in [0,1]", l.Name, e.Min, e.Max, e.Probability))
		}
		if l.Delay < 0 {
			errs = append(errs, fmt.Errorf("sim: link %s: delay %v: want 0 or more", l.Name, l.Delay))
		}
	}
	return errors.Join(errs...)
}
