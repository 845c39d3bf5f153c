package sim

import (
	"fmt"
	"math"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Sim is one simulation. It belongs to one owner and is not safe for concurrent use.
type Sim struct {
	graph *fabric.Graph
	sink  event.Sink

	now    int64 // ps
	seq    uint64
	events *wheel
	hops   uint64

	dirs   []direction
	routes routes
	hosts  []endpoint
	byAddr map[uint32]int32
	busy   int // hosts that are not idle

	pool    pool
	answers answers
	ev      event.Event // reused
	decoded wire.Packet // reused for altered packets
}

// New returns a simulation at time 0, nothing under way.
func New(cfg Config) (*Sim, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := &Sim{graph: cfg.Graph, sink: cfg.Sink, byAddr: map[uint32]int32{}}
	if s.sink == nil {
		s.sink = event.Discard{}
	}
	s.dirs = make([]direction, 2*len(cfg.Graph.Links))
	for i := range s.dirs {
		s.dirs[i].init(cfg.Graph, fabric.Dir(i), cfg.Seed)
	}
	s.events = newWheel(horizon(s.dirs))
	s.routes = newRoutes(cfg.Graph)
	s.hosts = make([]endpoint, len(cfg.Hosts))
	for i := range s.hosts {
		n := &cfg.Graph.Nodes[i]
		if other, taken := s.byAddr[n.Addr]; taken {
			return nil, fmt.Errorf("sim: hosts %d and %d have the same address %#x", other, i, n.Addr)
		}
		s.byAddr[n.Addr] = int32(i)
		s.hosts[i].init(cfg.Graph, int32(i), cfg.Hosts[i])
	}
	return s, nil
}

// horizon is how far ahead the arrival of a packet that is first on its direction can lie, on most links: a
// packet's time and the delay. Longer links do with the heap.
func horizon(dirs []direction) (span int64) {
	for i := range dirs {
		span = max(span, dirs[i].delay+int64(longest*psBits/dirs[i].rate))
	}
	return min(span, 100*psPerNs*1000)
}

// longest is the size of a packet that the wheel is made for, bytes.
const longest = 4500

// Now is the virtual time, cut to nanoseconds.
func (s *Sim) Now() vtime.Time { return vtime.Time(s.now / psPerNs) }

// Busy is the number of hosts whose device is not idle.
func (s *Sim) Busy() int { return s.busy }

// Hops is the number of packets that have arrived at the end of a link so far.
func (s *Sim) Hops() uint64 { return s.hops }

// Dirs is the number of link directions.
func (s *Sim) Dirs() int { return len(s.dirs) }

// Pending is the number of packets on their way.
func (s *Sim) Pending() int { return len(s.pool.packets) - len(s.pool.free) }

// Touch serves the device of a host whose state was changed from outside: what it wants done is started, what
// it has to send leaves.
func (s *Sim) Touch(host int32) { s.serve(host) }

// Advance runs all events before until. halt, if not nil, is asked after every event that a device has seen;
// true stops there, with the clock at that event, and Advance says so. Else the clock stands at until, or at the
// last event if that is vtime.Never.
func (s *Sim) Advance(until vtime.Time, halt func() bool) (halted bool) {
	limit := ps(until)
	for {
		e, ok := s.events.take(limit)
		if !ok {
			break
		}
		s.now = e.at
		seen := true
		switch e.kind() {
		case kindArrive:
			seen = s.arrive(e)
		case kindPull:
			s.pullDue(e)
		case kindTimer:
			s.timerDue(e)
		case kindAnswer:
			s.answerDue(e)
		}
		if seen && halt != nil && halt() {
			return true
		}
	}
	if limit != math.MaxInt64 {
		s.now = max(s.now, limit)
	}
	return false
}

// schedule makes an event.
func (s *Sim) schedule(at int64, k kind, index int32) uint64 {
	s.seq++
	order := stamp(s.seq, k, index)
	s.events.push(item{at: at, order: order})
	return order
}

const psPerNs = 1000

// ps converts, saturating: later than a hundred days is never.
func ps(t vtime.Time) int64 {
	if t > math.MaxInt64/psPerNs {
		return math.MaxInt64
	}
	return int64(t) * psPerNs
}
