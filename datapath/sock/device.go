//go:build linux

package sock

import (
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Device is what a loop drives: *host.Device is one. All calls come from the loop's goroutine.
//
// Payload.Bytes of a packet from Next must stay valid for a batch, not only until the next call: hostmem's
// reads do.
type Device interface {
	Receive(now vtime.Time, p *wire.Packet)
	Reject(now vtime.Time, cause event.RejectCause)
	Next(now vtime.Time, p *wire.Packet) bool
	Tick(now vtime.Time)
	Deadline() vtime.Time
	Request(now vtime.Time) (host.Request, bool)
	Answer(now vtime.Time, a host.Answer)
	Evict(now vtime.Time, blocks []mem.Span) (unpinned []host.Request)
	Idle() bool
}

// Memory does the slow work that a device asks for; *hostmem.Memory is one. Answers may come from any
// goroutine.
type Memory interface {
	Pin(r host.Request, answer func(host.Answer))
	Unpin(r host.Request)
	Evict(blocks []mem.Span, done func(pages uint64, err error))
}
