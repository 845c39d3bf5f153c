//go:build linux

package nslab

import (
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/hostmem"
	"github.com/stellarlab/stellarlab/datapath/sock"
	"github.com/stellarlab/stellarlab/emtt"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/netns"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// station is one host: real memory, a device, and the loop that owns it.
type station struct {
	*sock.Host
	memory *hostmem.Memory
	device *host.Device
	tap    *tap
}

// noticeboard is the host.Verifier of whatever run is on: loops are started before a run names its own.
type noticeboard struct{ current atomic.Pointer[notice] }

// notice is the verifier of one run, and the instant on the devices' clock at which the run began.
type notice struct {
	host.Verifier
	start vtime.Time
}

// Verify implements host.Verifier, in lab time of the run.
func (b *noticeboard) Verify(now vtime.Time, f *host.Flow, target *host.Endpoint, wc *engine.WC, gpa mem.GPA, tag uint64) {
	if n := b.current.Load(); n != nil && n.Verifier != nil {
		n.Verifier.Verify(now-n.start, f, target, wc, gpa, tag)
	}
}

// station starts the host of one device. On an error nothing is left.
func (l *Lab) station(cfg host.Config, ns *netns.NS) (*station, error) {
	s := &station{tap: newTap()}
	var err error
	s.memory, err = hostmem.Open(hostmem.Config{
		Node: cfg.Node, Size: roundUp(cfg.Memory.Guest, cfg.Memory.Block), Block: cfg.Memory.Block, Sink: s.tap,
	})
	if err != nil {
		return nil, err
	}
	if s.device, err = host.New(cfg, s.memory, s.memory, s.tap); err != nil {
		return nil, errors.Join(err, s.memory.Close())
	}
	s.Host, err = sock.StartHost(sock.Config{
		Addr:  netip.AddrFrom4([4]byte{byte(cfg.Addr >> 24), byte(cfg.Addr >> 16), byte(cfg.Addr >> 8), byte(cfg.Addr)}),
		Clock: l.clock, MTU: cfg.MTU, Within: ns.Do,
	}, s.device, s.memory, &l.board)
	if err != nil {
		return nil, errors.Join(err, s.memory.Close())
	}
	return s, nil
}

func roundUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// close ends the loop and gives the memory back.
func (s *station) close() error {
	_, err := s.Call(sock.Shut{})
	if errors.Is(err, sock.ErrClosed) {
		err = nil
	}
	return errors.Join(err, s.Host.Close(), s.memory.Close())
}

// connect opens and joins both ends of every flow.
func (l *Lab) connect(flows []host.Flow) error {
	source, target := host.Layout(flows)
	for i := range flows {
		f := flows[i]
		from, to := l.hosts[f.From], l.hosts[f.To]
		a, err := from.Call(sock.Open{Flow: f, Requester: true, Base: source[i]})
		if err != nil {
			return err
		}
		b, err := to.Call(sock.Open{Flow: f, Base: target[i]})
		if err != nil {
			return err
		}
		if _, err := from.Call(sock.Connect{Flow: f, Requester: true, Local: a.Endpoint, Peer: b.Endpoint}); err != nil {
			return err
		}
		if _, err := to.Call(sock.Connect{Flow: f, Local: b.Endpoint, Peer: a.Endpoint}); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until every pin that was asked for before the release has been answered.
func (l *Lab) settle(limit time.Duration) error {
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		waiting := 0
		for _, s := range l.hosts {
			if err := s.Do(func(vtime.Time) { waiting += s.device.Pinning() }); err != nil {
				return err
			}
		}
		if waiting == 0 {
			return nil
		}
		if time.Since(start) > limit {
			return fmt.Errorf("%d blocks are still not pinned after %v", waiting, limit)
		}
	}
}

// Mapped implements faults.Pages.
func (l *Lab) Mapped(h fabric.NodeID) ([]mem.Span, error) {
	r, err := l.hosts[h].Call(sock.Mapped{})
	return r.Blocks, err
}

// Evict implements faults.Pages.
func (l *Lab) Evict(h fabric.NodeID, blocks []mem.Span) (uint64, error) {
	return l.hosts[h].Evict(blocks)
}

// Miss implements faults.Translation.
func (l *Lab) Miss(h fabric.NodeID, m faults.Misses) (faults.Overlay, error) {
	r, err := l.hosts[h].Call(sock.Lay{Misses: host.MissStorm{Rate: m.Rate, Cost: m.Cost, Key: m.Key}})
	if err != nil {
		return nil, err
	}
	return &storm{l.hosts[h].Host, r.Storm}, nil
}

// storm is a miss storm that lies over a device.
type storm struct {
	host *sock.Host
	id   emtt.LevelID
}

// Counters implements faults.Overlay.
func (s *storm) Counters() (fabric.Counters, error) {
	r, err := s.host.Call(sock.Read{Storm: s.id})
	return r.Counters, err
}

// Standing implements faults.Overlay.
func (s *storm) Standing() (bool, error) {
	r, err := s.host.Call(sock.Read{Storm: s.id})
	return r.Standing, err
}

// Remove implements faults.Overlay.
func (s *storm) Remove() error {
	_, err := s.host.Call(sock.Lift{Storm: s.id})
	return err
}

// Surfaces implements framework.System.
func (l *Lab) Surfaces() faults.Surfaces {
	return faults.Surfaces{Links: &l.links, Pages: l, Translation: l}
}

// Guests implements framework.System.
func (l *Lab) Guests() []host.Guest {
	out := make([]host.Guest, len(l.hosts))
	for i, s := range l.hosts {
		out[i] = s.memory
	}
	return out
}

var _ framework.System = (*Lab)(nil)
