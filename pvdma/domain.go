package pvdma

import (
	"slices"

	"github.com/stellarlab/stellarlab/internal/lru"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// State says how a Translate went.
type State uint8

// The outcomes of Translate.
const (
	Hit     State = iota // every block is pinned and mapped: the segments are good now
	Pending              // a block is not there: wait for the ticket, then ask again
	Refused              // the span is not guest memory
)

// Request is what leaves the Domain for the hypervisor.
type Request struct {
	// Unpin releases Block at HPA and has no answer. Where it is not pinned any more there is nothing to do: an
	// eviction may have met a second request for a pinned block, whose answer is then released too.
	Unpin  bool     // else pin and map Block, answered by Answer(Ticket, …)
	Ticket uint64   // never zero for a pin; a block that is pinned already is answered with where it is
	Block  mem.Span // clipped to the guest's end
	HPA    mem.HPA  // of an Unpin
}

// Domain is the on-demand pinned memory of one guest, as its devices see it.
type Domain struct {
	cfg   Config
	shift uint

	index   map[uint64]int32 // block number -> blocks; touched blocks only
	blocks  []block
	free    []int32
	cache   lru.Set[uint64] // the Map Cache: block numbers known to be registered
	last    uint64          // block number of the latest hit and its place: the next packet is mostly in the same block
	lastAt  int32
	tickets map[uint64]uint64 // outstanding ticket -> block number
	next    uint64
	out     []Request // taken up to taken: the room is used again when all are
	taken   int
	mapped  int
	pinned  uint64 // bytes of the mapped blocks
}

// block is one touched block.
type block struct {
	number uint64
	hpa    mem.HPA
	ticket uint64 // outstanding pin; 0: none
	mapped bool   // IOMMU view: pinned and mapped
	fresh  bool   // just answered: the next look-up finds it, even if the Map Cache has forgotten it again
	again  bool   // evicted while its pin was on the way: ask again when answered
}

// New returns a Domain. In mode PinAll the pins of the whole guest are requested at once.
func New(cfg Config) (*Domain, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	d := &Domain{cfg: cfg.withDefaults(), index: map[uint64]int32{}, tickets: map[uint64]uint64{}, last: ^uint64(0)}
	for 1<<d.shift < d.cfg.Block {
		d.shift++
	}
	d.cache.Limit = d.cfg.MapCache
	if d.cfg.Mode == PinAll {
		d.want(mem.Span{Len: d.cfg.Guest})
	}
	return d, nil
}

// Translate resolves span for a DMA. On Hit out[:n] holds its host memory, in order. On Pending the ticket is
// that of the first block that is missing; every missing block of the span has been asked for.
func (d *Domain) Translate(span mem.Span, out []mem.Segment) (n int, st State, ticket uint64) {
	if !d.inside(span) {
		return 0, Refused, 0
	}
	for at := span.Start; at < span.End(); {
		number := uint64(at) >> d.shift
		end := min(span.End(), mem.GPA((number+1)<<d.shift))
		i := d.find(number)
		if i < 0 || !d.blocks[i].mapped || !d.cache.Touch(number) && !d.blocks[i].fresh {
			if t := d.need(number); ticket == 0 {
				ticket = t
			}
		} else if ticket == 0 {
			if n == len(out) {
				return 0, Refused, 0
			}
			within := uint64(at) & (d.cfg.Block - 1)
			out[n] = mem.Segment{HPA: d.blocks[i].hpa + mem.HPA(within), Len: uint32(end - at)}
			n++
		}
		at = end
	}
	if ticket != 0 {
		return 0, Pending, ticket
	}
	if d.cache.Limit > 0 {
		d.spend(span)
	}
	return n, Hit, 0
}

// spend ends the grace of blocks that have just been answered: the look-up that waited for them was this one.
func (d *Domain) spend(span mem.Span) {
	for number := uint64(span.Start) >> d.shift; number <= uint64(span.End()-1)>>d.shift; number++ {
		if i := d.find(number); i >= 0 {
			d.blocks[i].fresh = false
		}
	}
}

// Register announces that span will be used for DMA: pins it in mode PinRegistered, does nothing in others.
func (d *Domain) Register(span mem.Span) error {
	if !d.inside(span) {
		return &ErrOutside{span, d.cfg.Guest}
	}
	if d.cfg.Mode == PinRegistered {
		d.want(span)
	}
	return nil
}

// Request takes the next request; ok is false when there is none.
func (d *Domain) Request() (r Request, ok bool) {
	if d.taken == len(d.out) {
		return Request{}, false
	}
	r = d.out[d.taken]
	d.taken++
	if d.taken == len(d.out) {
		d.out, d.taken = d.out[:0], 0
	}
	return r, true
}

// Answer is the reply to a pin. ready says that whoever waits for the ticket may ask again; a ticket that is
// not outstanding is ignored and gives false. A failed pin leaves the block unmapped: the waiter may ask again
// or give up. retry is the ticket to wait for instead where the block was evicted while its pin was on the way.
func (d *Domain) Answer(ticket uint64, hpa mem.HPA, err error) (ready bool, retry uint64) {
	number, ok := d.tickets[ticket]
	if !ok {
		return false, 0
	}
	delete(d.tickets, ticket)
	i := d.find(number)
	b := &d.blocks[i]
	b.ticket = 0
	if b.again {
		b.again = false
		if err == nil {
			d.out = append(d.out, Request{Unpin: true, Block: d.span(number), HPA: hpa})
		}
		return true, d.need(number)
	}
	if err != nil {
		if !b.mapped {
			d.forget(i)
		}
		return true, 0
	}
	if !b.mapped {
		d.mapped++
		d.pinned += d.span(number).Len
	}
	b.hpa, b.mapped, b.fresh = hpa, true, true
	d.cache.Add(number) // what that pushes out stays pinned and mapped: only the look-up is lost
	return true, 0
}

// Evict takes blocks away from the device, as the hypervisor does before it drops their pages: the Map Cache
// entry first, then the IOMMU mapping. It returns the unpins, one per block that was mapped. A block whose pin
// is on the way is asked for again when that answer comes.
func (d *Domain) Evict(spans []mem.Span) []Request {
	var out []Request
	for _, s := range spans {
		if !d.inside(s) {
			continue
		}
		for number := uint64(s.Start) >> d.shift; number <= uint64(s.End()-1)>>d.shift; number++ {
			i := d.find(number)
			if i < 0 {
				continue
			}
			if r, ok := d.unmap(i); ok {
				out = append(out, r)
			}
		}
	}
	return out
}

// unmap drops block i from the Map Cache and the IOMMU view.
func (d *Domain) unmap(i int32) (Request, bool) {
	b := &d.blocks[i]
	d.cache.Drop(b.number)
	mapped, hpa, number := b.mapped, b.hpa, b.number
	if mapped {
		b.mapped, b.fresh = false, false
		d.mapped--
		d.pinned -= d.span(number).Len
	}
	if b.ticket != 0 {
		b.again = true
	} else {
		d.forget(i)
	}
	return Request{Unpin: true, Block: d.span(number), HPA: hpa}, mapped
}

// Mapped returns the blocks of the IOMMU view, ascending.
func (d *Domain) Mapped() []mem.Span {
	numbers := make([]uint64, 0, d.mapped)
	for _, i := range d.index {
		if d.blocks[i].mapped {
			numbers = append(numbers, d.blocks[i].number)
		}
	}
	slices.Sort(numbers)
	spans := make([]mem.Span, len(numbers))
	for i, n := range numbers {
		spans[i] = d.span(n)
	}
	return spans
}

// Pinned is the number of bytes pinned and mapped now.
func (d *Domain) Pinned() uint64 { return d.pinned }

// Close releases every pin and returns the unpins, ascending. Pins on the way are forgotten: their answers
// are ignored, so the driver must release what it pins after Close. What is touched afterwards is asked for anew.
func (d *Domain) Close() []Request {
	out := d.Evict(d.Mapped())
	clear(d.tickets)
	clear(d.index) // blocks whose pin is on the way must not wait for an answer that is ignored
	d.blocks, d.free, d.last = d.blocks[:0], d.free[:0], ^uint64(0)
	d.out, d.taken = d.out[:0], 0
	return out
}

// inside says that span is not empty and lies in guest memory.
func (d *Domain) inside(s mem.Span) bool {
	return s.Valid() && uint64(s.End()) <= d.cfg.Guest
}

// find returns the place of a touched block, or -1.
func (d *Domain) find(number uint64) int32 {
	if number == d.last {
		return d.lastAt
	}
	i, ok := d.index[number]
	if !ok {
		return -1
	}
	d.last, d.lastAt = number, i
	return i
}

// need asks for a block unless that is under way, and returns the ticket.
func (d *Domain) need(number uint64) uint64 {
	i := d.find(number)
	if i < 0 {
		i = d.place(number)
	}
	b := &d.blocks[i]
	if b.ticket == 0 {
		d.next++
		b.ticket = d.next
		d.tickets[b.ticket] = number
		d.out = append(d.out, Request{Ticket: b.ticket, Block: d.span(number)})
	}
	return b.ticket
}

// Touch asks for every block of span that is not mapped, as a first DMA over all of it would.
func (d *Domain) Touch(span mem.Span) error {
	if !d.inside(span) {
		return &ErrOutside{span, d.cfg.Guest}
	}
	d.want(span)
	return nil
}

// want asks for every block of span that is not mapped.
func (d *Domain) want(span mem.Span) {
	for number := uint64(span.Start) >> d.shift; number <= uint64(span.End()-1)>>d.shift; number++ {
		if i := d.find(number); i < 0 || !d.blocks[i].mapped {
			d.need(number)
		}
	}
}

// span is the guest memory of a block.
func (d *Domain) span(number uint64) mem.Span {
	start := number << d.shift
	return mem.Span{Start: mem.GPA(start), Len: min(d.cfg.Block, d.cfg.Guest-start)}
}

// place makes room for a block that was not touched before.
func (d *Domain) place(number uint64) int32 {
	var i int32
	if n := len(d.free); n > 0 {
		i = d.free[n-1]
		d.free = d.free[:n-1]
	} else {
		i = int32(len(d.blocks))
		d.blocks = append(d.blocks, block{})
	}
	d.blocks[i] = block{number: number}
	d.index[number] = i
	return i
}

// forget drops a block that is neither mapped nor asked for.
func (d *Domain) forget(i int32) {
	number := d.blocks[i].number
	delete(d.index, number)
	if d.last == number {
		d.last = ^uint64(0)
	}
	d.free = append(d.free, i)
}

// Requested is the number of requests that wait to be taken.
func (d *Domain) Requested() int { return len(d.out) - d.taken }
