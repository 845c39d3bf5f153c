package sim

import (
	"fmt"
	"math"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
)

// endpoint is one host: its device, and the NIC that pulls packets from it.
type endpoint struct {
	Host
	ports  []int32 // directions out
	in     []int32 // directions in
	ready  int64   // ps: the NIC takes no packet before
	pullAt int64   // ps: a pull is under way for this instant; -1: none
	timer  int64   // ps: of the latest timer event; math.MaxInt64: none
	idle   bool
	ticks  int   // at this instant
	ticked int64 // ps: of the latest tick
	pinned int64 // ps: the pins asked for so far are done
}

func (h *endpoint) init(g *fabric.Graph, id int32, cfg Host) {
	h.Host = cfg
	h.pullAt, h.timer, h.idle = -1, math.MaxInt64, true
	for _, p := range g.Ports(fabric.NodeID(id)) {
		h.ports = append(h.ports, int32(p.Out))
		h.in = append(h.in, int32(p.Out^1))
	}
	if h.PinCost == 0 {
		h.PinCost = PinCost
	}
}

// size is what a packet is worth on the wire.
func (h *endpoint) size(p *wire.Packet) uint32 {
	switch {
	case p.Opcode == wire.Acknowledge && h.Ack > 0:
		return h.Ack
	case p.Opcode == wire.WriteOnly && h.Data > 0:
		return h.Data - h.MTU + min(h.MTU, p.Payload.Len)
	}
	return uint32(wire.Size(p)) + wire.Framing
}

// deliver hands a packet to the host at the end of direction in.
func (s *Sim) deliver(in int32, f *flight) {
	d := &s.dirs[in]
	h := &s.hosts[d.to]
	p := &s.pool.packets[f.packet]
	if f.marked {
		p.ECN = 3
		p.Flags |= wire.CE
	}
	if len(s.pool.spoilt) > 0 {
		if e := s.pool.spoilt[f.packet]; e != nil {
			s.deliverSpoilt(in, f, e)
			s.serve(d.to)
			return
		}
	}
	d.ledger.Delivered++
	h.Device.Receive(s.Now(), p)
	s.pool.give(f.packet)
	s.serve(d.to)
}

// serve does what a device wants after an input: packets pulled, slow things started, the deadline noted.
func (s *Sim) serve(id int32) {
	h := &s.hosts[id]
	now := s.Now()
	if h.pullAt < 0 {
		s.pull(id)
	}
	for { // after the pull: reading what is to be sent may have asked for memory
		r, ok := h.Device.Request(now)
		if !ok {
			break
		}
		s.start(id, r)
	}
	if at := ps(h.Device.Deadline()); at < h.timer {
		at = max(at, s.now)
		h.timer = at
		s.schedule(at, kindTimer, id)
	}
	if idle := h.Device.Idle(); idle != h.idle {
		h.idle = idle
		if idle {
			s.busy--
		} else {
			s.busy++
		}
	}
}

// patience is how many ticks a device may want at one instant. One that wants more has a defect that would stop
// the clock for ever.
const patience = 1000

// timerDue runs a device's timers. A deadline that has moved on since is noted anew by serve.
func (s *Sim) timerDue(e item) {
	h := &s.hosts[e.index()]
	if h.timer != e.at {
		return // an earlier one took its place
	}
	h.timer = math.MaxInt64
	if now := s.Now(); h.Device.Deadline() <= now {
		if h.ticked != e.at {
			h.ticked, h.ticks = e.at, 0
		}
		if h.ticks++; h.ticks > patience {
			panic(fmt.Sprintf("sim: the device of host %d is still due at %v after %d ticks", e.index(), now, patience))
		}
		h.Device.Tick(now)
	}
	s.serve(e.index())
}

// pullDue is the port of a host getting free.
func (s *Sim) pullDue(e item) {
	s.hosts[e.index()].pullAt = -1
	s.serve(e.index())
}

// pull lets the NIC take packets while a port is free. Whatever it finds, the next packet is taken when the
// port has sent the last one.
func (s *Sim) pull(id int32) {
	h := &s.hosts[id]
	for {
		if s.now < h.ready {
			h.pullAt = h.ready
			s.schedule(h.ready, kindPull, id)
			return
		}
		slot := s.pool.take()
		p := &s.pool.packets[slot]
		if !h.Device.Next(s.Now(), p) {
			s.pool.free = append(s.pool.free, slot)
			return
		}
		s.pool.own(slot)
		s.launch(id, h, slot, p)
	}
}

// launch puts a packet on one of the host's ports.
func (s *Sim) launch(id int32, h *endpoint, slot int32, p *wire.Packet) {
	f := flight{
		packet: slot,
		size:   h.size(p),
		dst:    -1,
		digest: fabric.Tuple{
			Src: p.Src, Dst: p.Dst, Sport: p.Entropy, Dport: wire.Port, Proto: protoUDP,
		}.Digest(),
		identity: fabric.Identity(p.Src, p.DestQP, p.Path, p.PathSeq),
	}
	if dst, ok := s.host(p.Dst); ok {
		f.dst = dst
	}
	out := h.ports[0]
	if f.dst < 0 || f.dst == id {
		d := &s.dirs[out]
		d.ledger.Sent++
		d.ledger.Bytes += uint64(f.size)
		h.ready = s.now + d.time(f.size)
		s.drop(out, event.DropNoRoute, slot, f.size, nil)
		return
	}
	next := s.routes.next(id, f.dst)
	if chosen := s.choose(id, next, f.digest); chosen >= 0 {
		out = chosen
	} else if len(next) > 0 {
		out = next[0]
	}
	s.offer(out, &f)
	h.ready = s.free(h)
}

const protoUDP = 17

// host returns the number of the host with this address.
func (s *Sim) host(addr uint32) (int32, bool) {
	if n := addr >> 8 & 0xffff; int(n) < len(s.hosts) && s.graph.Nodes[n].Addr == addr {
		return int32(n), true
	}
	n, ok := s.byAddr[addr]
	return n, ok
}

// spare is how many packets may wait at a port of a host that has several: enough to keep all of them busy when
// the hash is unlucky.
const spare = 4

// free is when the NIC may take another packet: with one port when that is free; with several, when none has
// more than a few packets waiting.
func (s *Sim) free(h *endpoint) int64 {
	if len(h.ports) == 1 {
		return s.dirs[h.ports[0]].free
	}
	at := int64(0)
	for _, id := range h.ports {
		d := &s.dirs[id]
		if d.down {
			continue
		}
		full := h.Data
		if full == 0 {
			full = h.MTU + wire.Overhead + wire.Framing
		}
		at = max(at, d.free-spare*int64(uint64(full)*psBits/d.rate))
	}
	if at == 0 { // every port is down: as fast as the first would be
		at = s.dirs[h.ports[0]].free
	}
	return at
}
