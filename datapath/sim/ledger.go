package sim

import (
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/event"
)

// Ledger is what became of every packet that was offered to one link direction (SCENARIO §4):
// Sent + Duplicated = Delivered + ΣDropped + InFlight, at any instant.
//
// What a full queue refuses was sent, and dropped. A switch that has no way on counts the packet as dropped on
// the direction that it came by; a host without one on the direction of its first port. A packet whose ICRC
// fails is dropped on the direction that reached the host, wherever it was altered.
type Ledger struct {
	Sent       uint64
	Delivered  uint64
	Bytes      uint64 // of Sent
	Duplicated uint64
	Corrupted  uint64 // altered on this direction; not a term of the balance
	InFlight   uint64
	Dropped    [event.DropCauses]uint64
}

// Ledger returns the ledger of a direction as it stands.
func (s *Sim) Ledger(d fabric.Dir) Ledger {
	l := s.dirs[d].ledger
	l.InFlight = uint64(s.dirs[d].ring.n)
	return l
}

// drop counts a packet as dropped on direction d, tells who did it, and frees it.
func (s *Sim) drop(d int32, cause event.DropCause, packet int32, size uint32, by *fabric.Laid) {
	s.dirs[d].ledger.Dropped[cause]++
	p := &s.pool.packets[packet]
	s.ev = event.Event{
		At: s.Now(), Kind: event.Dropped, Node: d,
		A: uint64(cause), B: uint64(size), D: uint64(p.Path)<<32 | uint64(p.PSN),
	}
	if by != nil {
		s.ev.C = uint64(by.Fault) + 1
	}
	s.sink.Emit(&s.ev)
	s.pool.give(packet)
}
