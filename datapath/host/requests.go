package host

import (
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"github.com/stellarlab/stellarlab/pvdma"
)

// Request takes the next slow thing that the device wants done; ok is false when there is none. Drain it after
// every call that takes the time.
func (d *Device) Request(now vtime.Time) (r Request, ok bool) {
	if n := len(d.released); n > 0 {
		u := d.released[0]
		if d.released = d.released[1:]; len(d.released) == 0 {
			d.released = nil
		}
		return d.unpin(now, u), true
	}
	if p, ok := d.domain.Request(); ok {
		if p.Unpin {
			return d.unpin(now, p), true
		}
		d.emit(event.Event{At: now, Kind: event.NeedMem, A: uint64(p.Block.Start), B: p.Block.Len, C: p.Ticket})
		d.pins[p.Ticket] = p.Block
		return Request{Kind: Pin, Ticket: memoryTicket(p.Ticket), Block: p.Block}, true
	}
	if m, ok := d.table.Miss(); ok {
		d.emit(event.Event{At: now, Kind: event.NeedEntry, A: uint64(m.Key), B: uint64(m.VA), C: m.Ticket})
		return Request{Kind: Fetch, Ticket: translationTicket(m.Ticket), Cost: m.Cost}, true
	}
	return Request{}, false
}

func (d *Device) unpin(now vtime.Time, u pvdma.Request) Request {
	d.emit(event.Event{At: now, Kind: event.Unpinned, A: uint64(u.Block.Start), B: 1})
	return Request{Kind: Unpin, Block: u.Block, HPA: u.HPA}
}

// Answer is the reply to a Pin or a Fetch. An answer that nothing waits for is ignored.
func (d *Device) Answer(now vtime.Time, a Answer) {
	ticket := a.Ticket >> 1
	if a.Ticket&1 != 0 {
		if d.table.Answer(ticket, a.Err) {
			d.emit(event.Event{At: now, Kind: event.EntryReady, C: ticket})
			d.engine.MemReady(now, a.Ticket, a.Err == nil)
		}
		d.app.poll(now)
		return
	}
	block, known := d.pins[ticket]
	delete(d.pins, ticket)
	if ready, _ := d.domain.Answer(ticket, a.HPA, a.Err); ready && known {
		e := event.Event{At: now, Kind: event.MemReady, A: uint64(block.Start), B: uint64(a.HPA), C: ticket}
		if a.Err != nil {
			e.Kind, e.B = event.MemFailed, 0
		}
		d.emit(e)
		d.engine.MemReady(now, a.Ticket, a.Err == nil)
	}
	d.app.poll(now)
}

// Evict takes blocks away from the device: Map Cache entry and IOMMU mapping go at once, the returned unpins
// are for the driver to carry out before it drops the pages.
func (d *Device) Evict(now vtime.Time, blocks []mem.Span) []Request {
	var out []Request
	for _, u := range d.domain.Evict(blocks) {
		out = append(out, d.unpin(now, u))
	}
	return out
}

// Mapped returns the blocks that are mapped for DMA, ascending.
func (d *Device) Mapped() []mem.Span { return d.domain.Mapped() }

// Close gives every pin up and returns the unpins for the driver. Nothing may be called on d afterwards.
func (d *Device) Close(now vtime.Time) []Request {
	var out []Request
	for _, u := range d.domain.Close() {
		out = append(out, d.unpin(now, u))
	}
	return out
}

// Pinning is the number of blocks that have been asked for and not answered.
func (d *Device) Pinning() int { return len(d.pins) + d.domain.Requested() }
