package engine

import (
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Engine is the transport of one device.
type Engine struct {
	cfg Config
}

// QPConfig is what a queue pair is created with.
type QPConfig struct {
	PD       mem.PD
	Paths    Paths  // its own; not shared with another queue pair
	StartPSN uint32 // of the first packet it sends, below 1<<24
}

// Attr is what Modify sets. All but State matter for the transition to RTR alone.
type Attr struct {
	State          State
	PeerAddr       uint32 // IPv4, host byte order
	PeerQP         uint32 // 24 bits
	PeerGeneration uint8  // as CreateQP returned it there
	PeerPSN        uint32 // the peer's StartPSN
}

// New returns a device's transport without queue pairs. node is put into its events; a nil sink drops them.
func New(cfg Config, m Memory, sink event.Sink, node int32) (*Engine, error) { return &Engine{}, nil }

// CreateQP makes a queue pair in RESET. Its number is used again after Destroy, with another generation.
func (e *Engine) CreateQP(c QPConfig) (qpn uint32, generation uint8, err error) { return 0, 0, nil }

// Modify changes the state: RESET to INIT to RTR to RTS, any to ERR, any to RESET.
func (e *Engine) Modify(now vtime.Time, qpn uint32, a Attr) error { return nil }

// Destroy flushes the queue pair and frees its number.
func (e *Engine) Destroy(now vtime.Time, qpn uint32) error { return nil }

// Post posts a work request.
func (e *Engine) Post(now vtime.Time, qpn uint32, wr WR) error { return nil }

// Receive takes one packet; p and its bytes belong to the caller again on return.
func (e *Engine) Receive(now vtime.Time, p *wire.Packet) {}

// MemReady is the answer to a Pending grant.
func (e *Engine) MemReady(now vtime.Time, ticket uint64, ok bool) {}

// Ready says that Next has a packet.
func (e *Engine) Ready() bool { return false }

// Next fills p with the next packet to send, or returns false.
func (e *Engine) Next(now vtime.Time, p *wire.Packet) bool { return false }

// Tick lets the timers that are due at now fire.
func (e *Engine) Tick(now vtime.Time) {}

// Deadline is when Tick has something to do, at the earliest.
func (e *Engine) Deadline() vtime.Time { return vtime.Never }

// Poll takes completions.
func (e *Engine) Poll(wcs []WC) int { return 0 }
