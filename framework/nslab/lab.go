//go:build linux

package nslab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stellarlab/stellarlab/datapath/sock"
	"github.com/stellarlab/stellarlab/faults/inject"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/internal/netns"
	"github.com/stellarlab/stellarlab/internal/undo"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Lab is a built namespace lab. It is not safe for concurrent use, but for its fault surfaces.
type Lab struct {
	plant plant
	links links
	hosts []*station
	clock *sock.Clock
	board noticeboard
	log   *undo.Log
	room  func()
	floor time.Duration // of the retransmission timeout, as measured at the build
	start vtime.Time    // of the current run, on the devices' clock
	taken bool          // torn down
}

// Build makes a lab: namespaces, links, routes, programs, memory, devices, connected flows. Every act on the kernel
// is on disk before it is done. On an error nothing is left; one that wraps errors.ErrUnsupported says that this
// machine cannot, and nothing was touched.
func Build(ctx context.Context, spec framework.Spec) (framework.System, error) {
	if err := able(&spec); err != nil {
		return nil, err
	}
	if _, err := Collect(spec.StateDir, false); err != nil {
		return nil, fmt.Errorf("what dead runs left: %w", err)
	}
	log, err := undo.Open(spec.StateDir, spec.Name)
	if err != nil {
		return nil, err
	}
	l := &Lab{log: log, clock: sock.NewClock(), room: sock.Room(len(spec.Devices))}
	l.plant = plant{graph: spec.Graph, run: spec.Name, log: log}
	l.links.plant = &l.plant
	if err := l.build(ctx, spec); err != nil {
		return nil, errors.Join(fmt.Errorf("build the namespaces: %w", err), l.Close())
	}
	return l, nil
}

// pinLimit is how long pinning before the release may take.
const pinLimit = time.Minute

func (l *Lab) build(ctx context.Context, spec framework.Spec) error {
	if err := l.plant.build(ctx); err != nil {
		return err
	}
	if err := l.links.attach(); err != nil {
		return err
	}
	l.floor, _ = sock.Floor(len(spec.Devices), floorSpan)
	for i := range spec.Devices {
		if err := ctx.Err(); err != nil {
			return err
		}
		cfg := spec.Devices[i]
		cfg.RTO = max(cfg.RTO, l.floor)
		s, err := l.station(cfg, l.plant.nodes[i])
		if err != nil {
			return err
		}
		l.hosts = append(l.hosts, s)
	}
	if err := l.connect(spec.Flows); err != nil {
		return err
	}
	return l.settle(pinLimit)
}

// floorSpan is how long the machine's lateness is measured for the floor of the retransmission timeout.
const floorSpan = 200 * time.Millisecond

// able says what of spec this machine or this lab cannot do.
func able(spec *framework.Spec) error {
	var errs []error
	for _, a := range Probe() {
		if a.Needed && !a.OK {
			errs = append(errs, fmt.Errorf("%s: %s; %s: %w", a.Name, a.Detail, a.Remedy, errors.ErrUnsupported))
		}
	}
	if spec.Shape {
		errs = append(errs, fmt.Errorf("shape: this lab runs at the machine's speed; leave shape out, or use the simulator: %w", errors.ErrUnsupported))
	}
	if n := len(spec.Graph.Links); n > maxLinks {
		errs = append(errs, fmt.Errorf("%d links: this lab makes at most %d; use the simulator: %w", n, maxLinks, errors.ErrUnsupported))
	}
	return errors.Join(errs...)
}

// Now is lab time: since the release of the current run.
func (l *Lab) Now() vtime.Time { return l.clock.Now() - l.start }

// Floor is the shortest retransmission timeout of this lab's devices: what the machine's scheduler allows, measured
// when the lab was built.
func (l *Lab) Floor() time.Duration { return l.floor }

// Undo is the lab's write-ahead log, for the faults.
func (l *Lab) Undo() inject.Undo { return journalUndo{l.log} }

// Close implements framework.System. It may be called twice.
func (l *Lab) Close() error {
	if l.taken {
		return nil
	}
	l.taken = true
	var errs []error
	for _, s := range l.hosts {
		errs = append(errs, s.close())
	}
	errs = append(errs, l.links.close(), l.plant.remove())
	if n := l.log.Pending(); n > 0 {
		errs = append(errs, leftover{"undo", fmt.Sprintf("%d records", n), l.plant.run, errors.New("not all was undone")})
	}
	errs = append(errs, l.log.Close())
	names, err := netns.List(netns.Prefix + l.plant.run + "-")
	errs = append(errs, err)
	for _, n := range names {
		errs = append(errs, leftover{"netns", n, l.plant.run, errors.New("still there after its removal")})
	}
	l.room()
	return errors.Join(errs...)
}
