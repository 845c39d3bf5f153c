package sim

import (
	"time"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// pinUnit is the block that a pin cost is given for, bytes.
const pinUnit = 2 << 20

// pending is one slow request that will be answered.
type pending struct {
	host   int32
	kind   host.RequestKind
	ticket uint64
	block  mem.Span
}

// answers holds the slow requests under way.
type answers struct {
	slots []pending
	free  []int32
}

func (a *answers) take(p pending) int32 {
	if n := len(a.free); n > 0 {
		i := a.free[n-1]
		a.free = a.free[:n-1]
		a.slots[i] = p
		return i
	}
	a.slots = append(a.slots, p)
	return int32(len(a.slots) - 1)
}

// start begins a request. Pins of a host are done one after the other, as one hypervisor does them; a fetch
// takes its own time; an unpin is done at once.
func (s *Sim) start(id int32, r host.Request) {
	h := &s.hosts[id]
	at := s.now
	switch r.Kind {
	case host.Unpin:
		h.Memory.Unpin(r.Block, r.HPA)
		return
	case host.Pin:
		h.pinned = max(h.pinned, s.now) + pinTime(h.PinCost, r.Block.Len)
		at = h.pinned
	case host.Fetch:
		at += int64(r.Cost) * psPerNs
	}
	slot := s.answers.take(pending{host: id, kind: r.Kind, ticket: r.Ticket, block: r.Block})
	s.schedule(at, kindAnswer, slot)
}

// pinTime is the time to pin n bytes, ps.
func pinTime(cost time.Duration, n uint64) int64 {
	if cost < 0 {
		return 0
	}
	each := int64(cost) * psPerNs
	return int64(n/pinUnit)*each + int64(n%pinUnit)*each/pinUnit // below 4 s per unit this does not overflow
}

// answerDue answers a request. The page is pinned at this instant and not when it was asked for.
func (s *Sim) answerDue(e item) {
	i := e.index()
	p := s.answers.slots[i]
	s.answers.free = append(s.answers.free, i)
	s.reply(p)
}

func (s *Sim) reply(p pending) {
	h := &s.hosts[p.host]
	a := host.Answer{Ticket: p.ticket}
	if p.kind == host.Pin {
		a.HPA, a.Err = h.Memory.Pin(p.block)
	}
	h.Device.Answer(s.Now(), a)
	s.serve(p.host)
}

// Settle answers at once what the devices ask for while they are being set up: pinning all memory, or what was
// registered, is start-up and not part of the run.
func (s *Sim) Settle() {
	for id := range s.hosts {
		h := &s.hosts[id]
		for {
			r, ok := h.Device.Request(s.Now())
			if !ok {
				break
			}
			if r.Kind == host.Unpin {
				h.Memory.Unpin(r.Block, r.HPA)
				continue
			}
			a := host.Answer{Ticket: r.Ticket}
			if r.Kind == host.Pin {
				a.HPA, a.Err = h.Memory.Pin(r.Block)
			}
			h.Device.Answer(s.Now(), a)
		}
	}
}

// Evict takes blocks away from a host as its kernel would: the device is told first, then the pages go. It
// returns how many pages went.
func (s *Sim) Evict(id int32, blocks []mem.Span) (pages uint64) {
	h := &s.hosts[id]
	for _, u := range h.Device.Evict(s.Now(), blocks) {
		h.Memory.Unpin(u.Block, u.HPA)
	}
	pages = h.Memory.Evict(blocks)
	s.serve(id)
	return pages
}
