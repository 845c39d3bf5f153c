package simlab

import (
	"context"
	"errors"
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/sim"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Lab is a built simulation. It is not safe for concurrent use.
type Lab struct {
	sim     *sim.Sim
	devices []*host.Device
	guests  []host.Guest
	relay   relay
	flows   int
}

var _ framework.System = (*Lab)(nil)

// Build makes devices and memory for every host, connects the flows, and pins what is to be pinned before the
// release. Nothing outside the process is touched.
func Build(ctx context.Context, spec framework.Spec) (framework.System, error) {
	l, err := build(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("build the simulation: %w", err)
	}
	return l, nil
}

func build(ctx context.Context, spec framework.Spec) (*Lab, error) {
	if err := validate(&spec); err != nil {
		return nil, err
	}
	l := &Lab{flows: len(spec.Flows)}
	hosts := make([]sim.Host, len(spec.Devices))
	for i := range spec.Devices {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cfg := spec.Devices[i]
		memory, err := sim.NewMemory(sim.MemoryConfig{
			Node: cfg.Node, Size: cfg.Memory.Guest, Block: cfg.Memory.Block, Sink: &l.relay,
		})
		if err != nil {
			return nil, fmt.Errorf("memory of host %d: %w", i, err)
		}
		device, err := host.New(cfg, memory, memory, &l.relay)
		if err != nil {
			return nil, err
		}
		l.devices = append(l.devices, device)
		l.guests = append(l.guests, memory)
		hosts[i] = sim.Host{Device: device, Memory: memory, MTU: cfg.MTU, Data: cfg.WireData, Ack: cfg.WireAck}
	}
	var err error
	l.sim, err = sim.New(sim.Config{Graph: spec.Graph, Seed: spec.Run, Hosts: hosts, Sink: &l.relay})
	if err != nil {
		return nil, err
	}
	if err := l.connect(spec.Flows); err != nil {
		return nil, err
	}
	l.sim.Settle()
	return l, nil
}

// validate says what in spec does not fit together.
func validate(spec *framework.Spec) error {
	if spec.Graph == nil {
		return errors.New("no topology")
	}
	var errs []error
	if len(spec.Devices) != spec.Graph.Hosts() {
		errs = append(errs, fmt.Errorf("%d devices for %d hosts: want one each", len(spec.Devices), spec.Graph.Hosts()))
	}
	for i := range spec.Devices {
		d := &spec.Devices[i]
		if int(d.Node) != i || i < spec.Graph.Hosts() && d.Addr != spec.Graph.Nodes[i].Addr {
			errs = append(errs, fmt.Errorf("device %d is of node %d with address %#x: want them as the topology has them", i, d.Node, d.Addr))
		}
	}
	for i := range spec.Flows {
		f := &spec.Flows[i]
		n := int32(len(spec.Devices))
		if f.From < 0 || f.From >= n || f.To < 0 || f.To >= n || f.From == f.To {
			errs = append(errs, fmt.Errorf("flow %d from host %d to host %d: want two different hosts of %d", i, f.From, f.To, n))
		}
	}
	return errors.Join(errs...)
}

// connect makes both ends of every flow and joins them.
func (l *Lab) connect(flows []host.Flow) error {
	now := vtime.Time(0)
	sources, targets := host.Layout(flows)
	for i := range flows {
		f := &flows[i]
		from, to := l.devices[f.From], l.devices[f.To]
		requester, err := from.Open(f, true, sources[i])
		if err != nil {
			return err
		}
		responder, err := to.Open(f, false, targets[i])
		if err != nil {
			return err
		}
		if err := to.Connect(now, f, false, responder, requester); err != nil {
			return err
		}
		if err := from.Connect(now, f, true, requester, responder); err != nil {
			return err
		}
	}
	return nil
}

// Guests implements framework.System.
func (l *Lab) Guests() []host.Guest { return l.guests }

// Hops is the number of packets that have reached the end of a link so far: what the speed of a simulation is
// measured in.
func (l *Lab) Hops() uint64 { return l.sim.Hops() }

// Surfaces implements framework.System.
func (l *Lab) Surfaces() faults.Surfaces {
	return faults.Surfaces{Links: links{l}, Pages: pages{l}, Translation: translation{l}}
}

// Close implements framework.System. There is nothing outside the process to take away; it gives up every pin
// and says which stay.
func (l *Lab) Close() error {
	var errs []error
	for i, d := range l.devices {
		memory := l.guests[i].(*sim.Memory)
		for _, u := range d.Close(l.sim.Now()) {
			memory.Unpin(u.Block, u.HPA)
		}
		if n := memory.Pinned(); n > 0 {
			errs = append(errs, fmt.Errorf("host %d: %d bytes are still pinned after the device was closed", i, n))
		}
	}
	l.devices, l.guests = nil, nil
	return errors.Join(errs...)
}
