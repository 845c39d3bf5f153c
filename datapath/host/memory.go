package host

import (
	"errors"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/emtt"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"github.com/stellarlab/stellarlab/pvdma"
)

// maxSegments bounds how many pieces of host memory one packet can touch: 8 KiB over 4 KiB blocks, misaligned.
const maxSegments = 4

// memory is the engine's Memory: protection and translation by emtt, presence by pvdma, bytes by the bus.
type memory struct {
	d    *Device
	segs [maxSegments]mem.Segment
}

// Check implements engine.Memory.
func (m *memory) Check(a *engine.Access) engine.Status {
	return status(a, m.d.table.Check(&emtt.Access{PD: a.PD, Key: a.Key, VA: a.VA, Len: a.Len, Rights: a.Rights}))
}

// Read implements engine.Memory.
func (m *memory) Read(now vtime.Time, a *engine.Access, p *mem.Payload) engine.Grant {
	n, span, g := m.resolve(now, a)
	if g.State != engine.Ready || a.Len == 0 {
		return g
	}
	return m.settle(now, a, span, m.d.bus.Read(now, m.segs[:n], p))
}

// Write implements engine.Memory.
func (m *memory) Write(now vtime.Time, a *engine.Access, p *mem.Payload) engine.Grant {
	n, span, g := m.resolve(now, a)
	if g.State != engine.Ready || a.Len == 0 {
		return g
	}
	return m.settle(now, a, span, m.d.bus.Write(now, m.segs[:n], p))
}

// resolve finds the host memory of a: m.segs[:n] when the grant is Ready.
func (m *memory) resolve(now vtime.Time, a *engine.Access) (n int, span mem.Span, g engine.Grant) {
	t := m.d.table.Lookup(&emtt.Access{PD: a.PD, Key: a.Key, VA: a.VA, Len: a.Len, Rights: a.Rights})
	switch {
	case t.Verdict != emtt.Allowed:
		m.d.emit(event.Event{
			At: now, Kind: event.Refused, QP: a.QP,
			A: uint64(status(a, t.Verdict)), B: uint64(a.VA), C: uint64(a.Len), D: uint64(a.Key),
		})
		return 0, span, engine.Grant{State: engine.Denied, Status: status(a, t.Verdict)}
	case t.Ticket != 0:
		return 0, span, engine.Grant{State: engine.Pending, Ticket: translationTicket(t.Ticket)}
	case a.Len == 0:
		return 0, span, engine.Grant{State: engine.Ready}
	}
	n, st, ticket := m.d.domain.Translate(t.Span, m.segs[:])
	switch st {
	case pvdma.Hit:
		for i := range m.segs[:n] {
			m.segs[i].Kind = t.Kind
		}
		return n, t.Span, engine.Grant{State: engine.Ready}
	case pvdma.Pending:
		return 0, t.Span, engine.Grant{State: engine.Pending, Ticket: memoryTicket(ticket)}
	default:
		return 0, t.Span, engine.Grant{State: engine.Denied, Status: failure(a)}
	}
}

// settle turns the outcome of a DMA into a grant. A page that went away untold (an access that the bus calls
// absent) is unmapped and asked for again: the access waits as a message, and not as a blocked device.
func (m *memory) settle(now vtime.Time, a *engine.Access, span mem.Span, err error) engine.Grant {
	switch {
	case err == nil:
		return engine.Grant{State: engine.Ready}
	case errors.Is(err, ErrAbsent):
		m.d.released = append(m.d.released, m.d.domain.Evict([]mem.Span{span})...)
		if _, st, ticket := m.d.domain.Translate(span, m.segs[:]); st == pvdma.Pending {
			return engine.Grant{State: engine.Pending, Ticket: memoryTicket(ticket)}
		}
	}
	return engine.Grant{State: engine.Denied, Status: failure(a)}
}

// Tickets of the two models share one number space: the lowest bit says whose it is.
func memoryTicket(t uint64) uint64      { return t << 1 }
func translationTicket(t uint64) uint64 { return t<<1 | 1 }

// status is the completion status of an access that the table refuses (IBTA 9.9.3, 10.6.3).
func status(a *engine.Access, v emtt.Verdict) engine.Status {
	switch {
	case v == emtt.Allowed:
		return engine.Success
	case local(a):
		return engine.LocProtErr
	default:
		return engine.RemAccessErr
	}
}

// failure is the status of an allowed access that memory could not serve.
func failure(a *engine.Access) engine.Status {
	if local(a) {
		return engine.LocProtErr
	}
	return engine.RemOpErr
}

// local says that the access is one of the device's own user, not of a peer.
func local(a *engine.Access) bool { return a.Rights&^mem.LocalWrite == 0 }
