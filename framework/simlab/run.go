package simlab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/sim"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// slice is how much lab time passes between two looks at the context, and two reports of progress.
const slice = 100 * time.Microsecond

// Run implements framework.System. The run ends when every device is idle and the injector has nothing left to
// do, or at the limit; then whatever fault still lies is healed. A fault strikes before the packets of its
// instant.
//
// The clock of the devices goes on from run to run, lab time starts at 0 in each. A packet that is under way at
// the release counts as sent in this run, so that each run's ledger balances.
func (l *Lab) Run(ctx context.Context, job framework.Job) (*framework.Observation, error) {
	if l.devices == nil {
		return nil, errors.New("simulation is closed")
	}
	if job.Limit <= 0 {
		return nil, fmt.Errorf("limit %v: want more than 0", job.Limit)
	}
	start := l.sim.Now()
	l.relay = relay{next: job.Sink, start: start}
	if l.relay.next == nil {
		l.relay.next = event.Discard{}
	}
	defer func() { l.relay = relay{} }()
	r := run{lab: l, job: job, start: start, before: l.ledgers()}
	if err := r.loop(ctx); err != nil {
		return nil, err
	}
	return r.observe(), nil
}

// run is one release of the flows.
type run struct {
	lab     *Lab
	job     framework.Job
	start   vtime.Time
	before  []sim.Ledger
	settled bool
}

// now is the lab time.
func (r *run) now() vtime.Time { return r.lab.sim.Now() - r.start }

// due is when the injector wants to be called.
func (r *run) due() vtime.Time {
	if r.job.Injector == nil {
		return vtime.Never
	}
	return r.job.Injector.Deadline()
}

// done says that there is nothing left to run for.
func (r *run) done() bool { return r.lab.sim.Busy() == 0 && r.due() == vtime.Never }

// loop runs the simulation to its end. On an error, too, every fault is healed and posting has stopped.
func (r *run) loop(ctx context.Context) error {
	defer func() {
		if r.job.Injector != nil {
			r.job.Injector.Close(r.now())
		}
		for i, d := range r.lab.devices {
			d.Stop(r.lab.sim.Now())
			r.lab.sim.Touch(int32(i))
		}
	}()
	if err := r.step(); err != nil {
		return err
	}
	verify := r.job.Verify
	if verify != nil && r.start > 0 {
		verify = clock{verify, r.start}
	}
	for i, d := range r.lab.devices {
		d.Start(r.lab.sim.Now(), verify)
		r.lab.sim.Touch(int32(i))
	}
	var due vtime.Time // of the step that the simulation is on its way to
	halt := func() bool {
		if r.lab.relay.stir { // what happened may have moved the injector's deadline
			r.lab.relay.stir = false
			if r.due() < due {
				return true
			}
		}
		return due == vtime.Never && r.lab.sim.Busy() == 0
	}
	for !r.done() {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("simulation stopped at %v: %w", r.now(), err)
		}
		due = r.due()
		until := min(r.now().Add(slice), due, r.job.Limit)
		r.lab.sim.Advance(until+r.start, halt)
		if err := r.step(); err != nil {
			return err
		}
		if r.job.Progress != nil {
			r.job.Progress(r.now())
		}
		if r.now() >= r.job.Limit {
			break
		}
	}
	r.settled = r.done()
	return nil
}

// patience is how often an injector may want to be called at one instant: a fault that heals may let another
// strike. One that never gets past an instant is a defect, and not a run without end.
const patience = 10_000

// step lets the injector do what is due.
func (r *run) step() error {
	now := r.now()
	for range patience {
		if r.due() > now {
			return nil
		}
		r.job.Injector.Step(now)
	}
	return fmt.Errorf("the injector is still due after %d steps at %v", patience, now)
}

// observe sums up what the fabric has counted in this run.
func (r *run) observe() *framework.Observation {
	o := &framework.Observation{Ended: r.now(), Settled: r.settled, Opened: r.lab.relay.done}
	for i, l := range r.lab.ledgers() {
		b := &r.before[i]
		p := framework.Port{
			Dir:        fabric.Dir(i),
			Sent:       l.Sent - b.Sent + b.InFlight,
			Duplicated: l.Duplicated - b.Duplicated,
			Delivered:  l.Delivered - b.Delivered,
			Dropped:    l.Dropped,
			Corrupted:  l.Corrupted - b.Corrupted,
			InFlight:   l.InFlight,
			Bytes:      l.Bytes - b.Bytes,
		}
		for c := range p.Dropped {
			p.Dropped[c] -= b.Dropped[c]
		}
		o.Ports = append(o.Ports, p)
	}
	return o
}

// ledgers reads all counters of the fabric.
func (l *Lab) ledgers() []sim.Ledger {
	out := make([]sim.Ledger, l.sim.Dirs())
	for i := range out {
		out[i] = l.sim.Ledger(fabric.Dir(i))
	}
	return out
}
