// Package host is one vStellar device put together from engine, pvdma, emtt and spray, with the application
// that drives it. It owns no clock, thread or socket: a driver passes time and packets in and takes them out.
package host

import (
	"time"

	"github.com/stellarlab/stellarlab/internal/mem"
)

// Config describes one device. Every field is set: defaults are filled by framework/scenario.
type Config struct {
	Node       int32         // graph id of the host
	Addr       uint32        // IPv4, host byte order
	Run        uint64        // names the run in pattern tags
	Seed       uint64        // of the device's own stream: path choice, start PSNs
	MTU        uint32        // payload bytes per packet, 256 to 8192
	Paths      int           // 1 to 256
	Policy     string        // name in spray's catalogue
	RTO        time.Duration // floor of the retransmission timeout
	Retries    int           // per packet, reset by progress; 0: none
	Window     uint64        // bytes; upper bound of the congestion window
	Congestion Congestion
	Relaxed    bool   // ordering: false is strict
	AckEvery   uint32 // bytes
	Memory     Memory
	Entries    int // eMTT cache entries; 0: unlimited

	WireData uint32 // bytes of a full data packet on the wire; 0: from the headers
	WireAck  uint32 // bytes of an acknowledgement on the wire; 0: from the headers
}

// Congestion parameterises the one congestion window of a queue pair.
type Congestion struct {
	BaseRTT     time.Duration // round trip of the idle fabric
	TargetDelay time.Duration // queueing delay above which the window shrinks
}

// PinMode says when guest memory is pinned.
type PinMode string

// The pin modes (Stellar §5 and its baselines).
const (
	OnDemand      PinMode = "onDemand"
	PinAll        PinMode = "pinAll"
	PinRegistered PinMode = "pinRegistered"
)

// Memory describes the guest memory of a device.
type Memory struct {
	Guest    uint64  // bytes
	Pin      PinMode //
	Block    uint64  // bytes, a power of two
	MapCache int     // entries; 0: unlimited
	PD       mem.PD
}
