//go:build linux

package sock_test

import (
	"sync/atomic"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// fake is a device that knows a loop's contract and no protocol: one streams pages of its memory to the
// other, which places and acknowledges them. Nothing is sent again.
type fake struct {
	bus      host.Bus
	src, dst uint32
	size     uint32 // payload bytes per packet
	window   uint32 // packets
	span     uint64 // bytes of memory that the stream goes round in

	// Sender. count may be raised by a message.
	count, sent, acked uint32
	done               chan struct{} // closed when all is acknowledged
	ended              bool

	// Receiver.
	placed uint32
	owed   bool

	requests []host.Request
	answers  []host.Answer
	rejected atomic.Uint64
	tick     vtime.Time // deadline; 0: none
	ticked   chan vtime.Time
	fault    error
	seg      [1]mem.Segment
}

func (f *fake) Receive(now vtime.Time, p *wire.Packet) {
	if p.Opcode == wire.Acknowledge {
		f.acked = max(f.acked, p.PSN)
		f.finish()
		return
	}
	f.seg[0] = mem.Segment{HPA: f.place(p.PSN), Len: p.Payload.Len}
	if err := f.bus.Write(now, f.seg[:], &p.Payload); err != nil {
		f.fault = err
		return
	}
	f.placed++
	f.owed = f.owed || f.placed%8 == 0 || p.Flags&wire.Last != 0
}

// place is where packet n lies, at either end.
func (f *fake) place(n uint32) mem.HPA { return mem.HPA(uint64(n) * uint64(f.size) % f.span) }

func (f *fake) finish() {
	if f.acked == f.count && !f.ended && f.done != nil {
		f.ended = true
		close(f.done)
	}
}

func (f *fake) Reject(vtime.Time, event.RejectCause) { f.rejected.Add(1) }

func (f *fake) Next(now vtime.Time, p *wire.Packet) bool {
	*p = wire.Packet{Src: f.src, Dst: f.dst, ECN: 2, DestQP: 7, Entropy: 49152}
	if f.owed {
		f.owed = false
		p.Opcode, p.PSN = wire.Acknowledge, f.placed
		return true
	}
	if f.sent == f.count || f.sent-f.acked >= f.window {
		return false
	}
	p.Opcode, p.PSN, p.PathSeq, p.Path = wire.WriteOnly, f.sent, f.sent, uint16(f.sent%128)
	p.Entropy += p.Path
	p.MessageLen = f.size
	f.sent++
	if f.sent == f.count {
		p.Flags |= wire.Last
	}
	f.seg[0] = mem.Segment{HPA: f.place(p.PSN), Len: f.size}
	if err := f.bus.Read(now, f.seg[:], &p.Payload); err != nil {
		f.fault = err
		return false
	}
	return true
}

func (f *fake) Tick(now vtime.Time) {
	if f.tick != 0 && now >= f.tick {
		f.tick = 0
		f.ticked <- now
	}
}

func (f *fake) Deadline() vtime.Time {
	if f.tick != 0 {
		return f.tick
	}
	return vtime.Never
}

func (f *fake) Request(vtime.Time) (host.Request, bool) {
	if len(f.requests) == 0 {
		return host.Request{}, false
	}
	r := f.requests[0]
	f.requests = f.requests[1:]
	return r, true
}

func (f *fake) Answer(now vtime.Time, a host.Answer) { f.answers = append(f.answers, a) }

func (f *fake) Evict(now vtime.Time, blocks []mem.Span) (out []host.Request) {
	for _, b := range blocks {
		out = append(out, host.Request{Kind: host.Unpin, Block: b, HPA: mem.HPA(b.Start)})
	}
	return out
}

func (f *fake) Idle() bool { return f.acked == f.count }
