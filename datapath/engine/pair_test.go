package engine_test

import (
	"fmt"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// key is the one memory key of a ram.
const key mem.Key = 7

// ram is trivial memory: bytes from address 0 on, one key.
type ram struct {
	bytes   []byte
	absent  map[mem.VA]uint64 // page to ticket: accesses are pending until it is cleared
	denied  map[mem.VA]bool   // page: writes are refused though Check allows them
	placed  []mem.VA          // first bytes of writes, in order
	noTrace bool
}

const pageSize = 1024

func (m *ram) Check(a *engine.Access) engine.Status {
	if a.Key != key || uint64(a.VA)+uint64(a.Len) > uint64(len(m.bytes)) {
		if a.Rights == 0 {
			return engine.LocProtErr
		}
		return engine.RemAccessErr
	}
	return engine.Success
}

func (m *ram) grant(a *engine.Access) engine.Grant {
	if s := m.Check(a); s != engine.Success {
		return engine.Grant{State: engine.Denied, Status: s}
	}
	page := a.VA &^ (pageSize - 1)
	if m.denied[page] {
		return engine.Grant{State: engine.Denied, Status: engine.RemOpErr}
	}
	if t := m.absent[page]; t != 0 {
		return engine.Grant{State: engine.Pending, Ticket: t}
	}
	return engine.Grant{}
}

func (m *ram) Read(_ vtime.Time, a *engine.Access, p *mem.Payload) engine.Grant {
	g := m.grant(a)
	if g.State == engine.Ready {
		*p = mem.Payload{Len: a.Len, Bytes: m.bytes[a.VA : uint64(a.VA)+uint64(a.Len)]}
	}
	return g
}

func (m *ram) Write(_ vtime.Time, a *engine.Access, p *mem.Payload) engine.Grant {
	g := m.grant(a)
	if g.State == engine.Ready {
		copy(m.bytes[a.VA:], p.Bytes)
		if !m.noTrace {
			m.placed = append(m.placed, a.VA)
		}
	}
	return g
}

// paths goes round over n paths with a constant window.
type paths struct {
	n, next uint16
	window  uint64
	acked   uint64
	losses  int
}

func (s *paths) Pick(_ vtime.Time, avoid int) uint16 {
	s.next = (s.next + 1) % s.n
	if int(s.next) == avoid {
		s.next = (s.next + 1) % s.n
	}
	return s.next
}
func (s *paths) Entropy(p uint16) uint16  { return 49152 + p }
func (s *paths) Window() uint64           { return s.window }
func (s *paths) Answer(vtime.Time) uint16 { return 0 }
func (s *paths) Acked(_ vtime.Time, _ uint16, n uint32, _ time.Duration, _ uint32) {
	s.acked += uint64(n)
}
func (s *paths) Lost(vtime.Time, uint16, uint32) { s.losses++ }

// counter counts the events that tests ask for.
type counter struct {
	sent, resent, timeouts, naks int
	rejected                     map[event.RejectCause]int
}

func (c *counter) Emit(e *event.Event) {
	switch e.Kind {
	case event.Sent:
		if wire.Opcode(e.D) != wire.WriteOnly {
			return
		}
		c.sent++
		if e.B&event.SentRetransmit != 0 {
			c.resent++
		}
	case event.Timeout:
		c.timeouts++
	case event.Nak:
		c.naks++
	case event.Rejected:
		if c.rejected == nil {
			c.rejected = map[event.RejectCause]int{}
		}
		c.rejected[event.RejectCause(e.A)]++
	}
}

// end is one device with one queue pair.
type end struct {
	*engine.Engine
	mem   *ram
	paths *paths
	count *counter
	qpn   uint32
	gen   uint8
	psn   uint32
}

// flight is a packet under way.
type flight struct {
	at  vtime.Time
	to  int
	pkt wire.Packet
}

// pair is two connected ends and what is under way between them, in virtual time.
type pair struct {
	now  vtime.Time
	ends [2]*end
	air  []flight
	// plan says when copies of a packet sent to an end arrive, as delays; none: it is dropped.
	plan func(to int, p *wire.Packet) []time.Duration
	wcs  []engine.WC
}

const hop = 5 * time.Microsecond

func newPair(cfg engine.Config, psn uint32, size int) (*pair, error) {
	p := &pair{plan: func(int, *wire.Packet) []time.Duration { return []time.Duration{hop} }}
	for i := range p.ends {
		n := &end{mem: &ram{bytes: make([]byte, size)}, paths: &paths{n: 8, window: 1 << 20}, count: &counter{}, psn: psn}
		c := cfg
		c.Addr = uint32(i + 1)
		var err error
		if n.Engine, err = engine.New(c, n.mem, n.count, int32(i)); err != nil {
			return nil, err
		}
		if n.qpn, n.gen, err = n.CreateQP(engine.QPConfig{PD: 1, Paths: n.paths, StartPSN: psn}); err != nil {
			return nil, err
		}
		p.ends[i] = n
	}
	for i := range p.ends {
		if err := p.connect(i); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// connect takes the queue pair of end i to RTS.
func (p *pair) connect(i int) error {
	n, o := p.ends[i], p.ends[1-i]
	for _, a := range []engine.Attr{
		{State: engine.Init},
		{State: engine.RTR, PeerAddr: uint32(2 - i), PeerQP: o.qpn, PeerGeneration: o.gen, PeerPSN: o.psn},
		{State: engine.RTS},
	} {
		if err := n.Modify(p.now, n.qpn, a); err != nil {
			return err
		}
	}
	return nil
}

// pump takes from both ends what they send and puts it under way.
func (p *pair) pump() {
	for i, n := range p.ends {
		var pkt wire.Packet
		for n.Next(p.now, &pkt) {
			c := pkt
			if pkt.Payload.Bytes != nil {
				c.Payload.Bytes = append([]byte(nil), pkt.Payload.Bytes...)
			}
			for _, d := range p.plan(1-i, &pkt) {
				p.air = append(p.air, flight{at: p.now.Add(d), to: 1 - i, pkt: c})
			}
		}
	}
}

// step goes to the next instant at which something happens; false: nothing will.
func (p *pair) step() bool {
	p.pump()
	p.poll()
	at := min(p.ends[0].Deadline(), p.ends[1].Deadline())
	first := -1
	for i := range p.air {
		if p.air[i].at <= at && (first < 0 || p.air[i].at < p.air[first].at) {
			first, at = i, p.air[i].at
		}
	}
	if at == vtime.Never {
		return false
	}
	p.now = max(p.now, at)
	if first >= 0 {
		f := p.air[first]
		p.air = append(p.air[:first], p.air[first+1:]...)
		p.ends[f.to].Receive(p.now, &f.pkt)
	} else {
		p.ends[0].Tick(p.now)
		p.ends[1].Tick(p.now)
	}
	p.poll()
	return true
}

// poll takes the completions of end 0.
func (p *pair) poll() {
	var wcs [16]engine.WC
	for n := p.ends[0].Poll(wcs[:]); n > 0; n = p.ends[0].Poll(wcs[:]) {
		p.wcs = append(p.wcs, wcs[:n]...)
	}
}

// run steps until nothing happens any more, or n completions are there; an error names a machine that does
// not come to rest.
func (p *pair) run(n int) error {
	for range 2_000_000 {
		moved := p.step()
		if len(p.wcs) >= n {
			return nil
		}
		if !moved {
			return fmt.Errorf("at rest at %v with %d of %d completions", p.now, len(p.wcs), n)
		}
	}
	return fmt.Errorf("not at rest at %v with %d of %d completions", p.now, len(p.wcs), n)
}

// post posts a write of n bytes from local to remote at end 0.
func (p *pair) post(id uint64, local, remote mem.VA, n uint32) error {
	return p.ends[0].Post(p.now, p.ends[0].qpn, engine.WR{ID: id, Local: local, LKey: key, Remote: remote, RKey: key, Len: n})
}
