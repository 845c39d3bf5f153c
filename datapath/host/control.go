package host

import (
	"fmt"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/emtt"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"github.com/stellarlab/stellarlab/spray"
)

// vaBase is where guest memory appears in the application's address space: a virtual address that is taken for
// a physical one is then outside the guest.
const vaBase = 0x7f00_0000_0000

// Open creates one end of a flow: a queue pair and the registered buffer of f.Buffer() bytes at base. The
// endpoint is what the other end has to be told. Unless the flow is cold its blocks are asked for at once: the
// driver carries the requests out before it releases anything.
func (d *Device) Open(f *Flow, requester bool, base mem.GPA) (Endpoint, error) {
	span := mem.Span{Start: base, Len: f.Buffer()}
	rights := mem.LocalWrite | mem.RemoteWrite
	if requester {
		rights = mem.LocalWrite
	}
	key, err := d.table.Register(emtt.Region{
		PD: d.cfg.Memory.PD, VA: vaBase + mem.VA(base), Len: span.Len, Rights: rights, GPA: base,
	})
	if err != nil {
		return Endpoint{}, fmt.Errorf("flow %d: %w", f.Index, err)
	}
	if err := d.domain.Register(span); err != nil {
		return Endpoint{}, fmt.Errorf("flow %d: %w", f.Index, err)
	}
	if !f.Cold {
		if err := d.domain.Touch(span); err != nil {
			return Endpoint{}, fmt.Errorf("flow %d: %w", f.Index, err)
		}
	}
	end := "responder"
	if requester {
		end = "requester"
	}
	stream := seed.Derive(d.cfg.Seed, fmt.Sprintf("flow%d/%s", f.Index, end))
	paths, err := spray.New(spray.Config{
		Policy: d.cfg.Policy, Paths: d.cfg.Paths, MTU: d.cfg.MTU, Window: d.cfg.Window,
		BaseRTT: d.cfg.Congestion.BaseRTT, TargetDelay: d.cfg.Congestion.TargetDelay, Seed: stream,
	})
	if err != nil {
		return Endpoint{}, fmt.Errorf("flow %d: %w", f.Index, err)
	}
	watched := &watchedPaths{Paths: paths, d: d}
	psn := uint32(seed.Mix(uint64(stream))) & 0xffffff
	qpn, generation, err := d.engine.CreateQP(engine.QPConfig{PD: d.cfg.Memory.PD, Paths: watched, StartPSN: psn})
	if err != nil {
		return Endpoint{}, fmt.Errorf("flow %d: %w", f.Index, err)
	}
	watched.qpn = qpn
	return Endpoint{
		Node: d.cfg.Node, Addr: d.cfg.Addr, QP: qpn, Generation: generation, PSN: psn,
		VA: vaBase + mem.VA(base), GPA: base, Key: key,
	}, nil
}

// Connect joins the two ends of a flow; local is what Open returned here, peer what it returned there. A
// requester's flow is released by the next Start.
func (d *Device) Connect(now vtime.Time, f *Flow, requester bool, local, peer Endpoint) error {
	steps := []engine.Attr{
		{State: engine.Init},
		{State: engine.RTR, PeerAddr: peer.Addr, PeerQP: peer.QP, PeerGeneration: peer.Generation, PeerPSN: peer.PSN},
		{State: engine.RTS},
	}
	for _, s := range steps {
		if err := d.engine.Modify(now, local.QP, s); err != nil {
			return fmt.Errorf("flow %d: %w", f.Index, err)
		}
	}
	if requester {
		r := &requesterFlow{flow: *f, local: local, peer: peer}
		d.app.flows = append(d.app.flows, r)
		d.app.byQP[local.QP] = r
	}
	return nil
}

// watchedPaths turns the changes of path health into events.
type watchedPaths struct {
	*spray.Paths
	d   *Device
	qpn uint32
}

// Acked implements engine.Paths.
func (w *watchedPaths) Acked(now vtime.Time, path uint16, n uint32, rtt time.Duration, ce uint32) {
	w.Paths.Acked(now, path, n, rtt, ce)
	w.report(now)
}

// Lost implements engine.Paths.
func (w *watchedPaths) Lost(now vtime.Time, path uint16, n uint32) {
	w.Paths.Lost(now, path, n)
	w.report(now)
}

func (w *watchedPaths) report(now vtime.Time) {
	for {
		path, out, until, ok := w.Change()
		if !ok {
			return
		}
		e := event.Event{At: now, Kind: event.PathBack, QP: w.qpn, A: uint64(path)}
		if out {
			e.Kind, e.B = event.PathOut, uint64(until)
		}
		w.d.emit(e)
	}
}
