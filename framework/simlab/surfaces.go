package simlab

import (
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/emtt"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// links lays layers over link directions.
type links struct{ l *Lab }

// Lay implements faults.Links.
func (s links) Lay(d fabric.Dir, layer fabric.Layer) (faults.Overlay, error) {
	o, err := s.l.sim.Lay(d, layer)
	if err != nil {
		return nil, err
	}
	return o, nil
}

// pages evicts guest memory.
type pages struct{ l *Lab }

// Mapped implements faults.Pages.
func (s pages) Mapped(h fabric.NodeID) ([]mem.Span, error) {
	d, err := s.l.device(h)
	if err != nil {
		return nil, err
	}
	return d.Mapped(), nil
}

// Evict implements faults.Pages.
func (s pages) Evict(h fabric.NodeID, blocks []mem.Span) (uint64, error) {
	if _, err := s.l.device(h); err != nil {
		return 0, err
	}
	return s.l.sim.Evict(int32(h), blocks), nil
}

// translation lays miss storms over devices.
type translation struct{ l *Lab }

// Miss implements faults.Translation.
func (s translation) Miss(h fabric.NodeID, m faults.Misses) (faults.Overlay, error) {
	d, err := s.l.device(h)
	if err != nil {
		return nil, err
	}
	return &storm{d: d, id: d.Lay(host.MissStorm{Rate: m.Rate, Cost: m.Cost, Key: m.Key})}, nil
}

// storm is a miss storm that lies over a device.
type storm struct {
	d  *host.Device
	id emtt.LevelID
}

// Counters implements faults.Overlay.
func (s *storm) Counters() (fabric.Counters, error) {
	c, _ := s.d.Storm(s.id)
	return c, nil
}

// Standing implements faults.Overlay.
func (s *storm) Standing() (bool, error) {
	_, standing := s.d.Storm(s.id)
	return standing, nil
}

// Remove implements faults.Overlay.
func (s *storm) Remove() error {
	s.d.Lift(s.id)
	return nil
}

// device returns the device of a host.
func (l *Lab) device(h fabric.NodeID) (*host.Device, error) {
	if h < 0 || int(h) >= len(l.devices) {
		return nil, fmt.Errorf("node %d is no host: want 0 to %d", h, len(l.devices)-1)
	}
	return l.devices[h], nil
}
