//go:build linux

package sock

import (
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/emtt"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Host is a loop around a vStellar device. It is told what to do by commands, which are values, as their
// results are: a host in another process takes the same ones. Its methods are safe for concurrent use.
type Host struct {
	*Loop
	dev    *host.Device
	verify host.Verifier
}

// StartHost starts the loop of dev. verify compares target memory after each completion, on the loop; nil:
// nothing is verified.
func StartHost(cfg Config, dev *host.Device, m Memory, verify host.Verifier) (*Host, error) {
	l, err := Start(cfg, dev, m)
	if err != nil {
		return nil, err
	}
	return &Host{Loop: l, dev: dev, verify: verify}, nil
}

// Command is one of the commands below.
type Command interface {
	apply(h *Host, now vtime.Time, r *Result) error
}

// Result is what a command brought; the fields that it does not name are zero.
type Result struct {
	Now      vtime.Time // when the command was carried out
	Endpoint host.Endpoint
	Blocks   []mem.Span
	Storm    emtt.LevelID
	Counters fabric.Counters
	Standing bool
}

// Open creates one end of a flow: Result.Endpoint.
type Open struct {
	Flow      host.Flow
	Requester bool
	Base      mem.GPA
}

// Connect joins the two ends of a flow.
type Connect struct {
	Flow        host.Flow
	Requester   bool
	Local, Peer host.Endpoint
}

// Release starts the flows of which this host is the requester.
type Release struct{}

// Stop ends posting; what is outstanding still completes.
type Stop struct{}

// Mapped asks for the blocks that are mapped for DMA: Result.Blocks.
type Mapped struct{}

// Lay lays a miss storm over the translations: Result.Storm.
type Lay struct{ Misses host.MissStorm }

// Lift takes a storm off. Twice is success.
type Lift struct{ Storm emtt.LevelID }

// Read asks what a storm has counted and whether it lies: Result.Counters and Standing.
type Read struct{ Storm emtt.LevelID }

// Shut gives every pin up. It is the last command; the loop is to be closed after it.
type Shut struct{}

// Call has the loop carry c out between two steps of the device, and waits for it.
func (h *Host) Call(c Command) (r Result, err error) {
	var failed error
	if err := h.Do(func(now vtime.Time) { r.Now = now; failed = c.apply(h, now, &r) }); err != nil {
		return Result{}, err
	}
	if failed != nil {
		return Result{}, fmt.Errorf("host %v: %w", h.cfg.Addr, failed)
	}
	return r, nil
}

func (c Open) apply(h *Host, _ vtime.Time, r *Result) (err error) {
	r.Endpoint, err = h.dev.Open(&c.Flow, c.Requester, c.Base)
	return err
}

func (c Connect) apply(h *Host, now vtime.Time, _ *Result) error {
	return h.dev.Connect(now, &c.Flow, c.Requester, c.Local, c.Peer)
}

func (Release) apply(h *Host, now vtime.Time, _ *Result) error {
	h.dev.Start(now, h.verify)
	return nil
}

func (Stop) apply(h *Host, now vtime.Time, _ *Result) error {
	h.dev.Stop(now)
	return nil
}

func (Mapped) apply(h *Host, _ vtime.Time, r *Result) error {
	r.Blocks = h.dev.Mapped()
	return nil
}

func (c Lay) apply(h *Host, _ vtime.Time, r *Result) error {
	r.Storm = h.dev.Lay(c.Misses)
	return nil
}

func (c Lift) apply(h *Host, _ vtime.Time, _ *Result) error {
	h.dev.Lift(c.Storm)
	return nil
}

func (c Read) apply(h *Host, _ vtime.Time, r *Result) error {
	r.Counters, r.Standing = h.dev.Storm(c.Storm)
	return nil
}

func (Shut) apply(h *Host, now vtime.Time, _ *Result) error {
	for _, r := range h.dev.Close(now) {
		h.mem.Unpin(r)
	}
	return nil
}
