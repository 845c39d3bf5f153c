// Package inject strikes and heals the faults of a plan in lab time, with the intent to undo on disk first, and
// says of each whether it was measured. It knows no kind and no lab: those are the catalogue's and the surfaces'.
package inject

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/faults/plan"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Undo records an intent before the act; done marks it as undone. An error forbids the act.
type Undo interface {
	Record(op, identity string, args any) (done func() error, err error)
}

// OpFault is the operation that the Executor records; its identity is the target's name.
const OpFault = "fault"

// Args are the arguments of an OpFault record.
type Args struct {
	Fault string `json:"fault"`
	Kind  string `json:"kind"`
	Until int64  `json:"until"` // due heal, ns of lab time
}

// Options are what an Executor may be given beside plan and surfaces.
type Options struct {
	Undo  Undo              // nil: nothing outlives this process
	Sink  event.Sink        // gets FaultStrike, FaultHeal and FaultConfirmed; nil: nobody
	Clock func() vtime.Time // reads lab time after an act; nil: acts take no time, as in the simulator
}

// Executor runs one plan once. It implements framework.Injector. It belongs to one caller.
type Executor struct {
	surfaces faults.Surfaces
	opt      Options
	all      []occurrence
	ev       event.Event
}

// occurrence is one fault of the plan on its way.
type occurrence struct {
	*plan.Fault
	index   int32
	kind    faults.Kind
	state   state
	actives []laid
	struck  vtime.Time
	healed  vtime.Time
	due     vtime.Time // of the heal: For after the strike, which may have come late or taken long
	laidAll bool       // it lay on all its targets
	residue bool       // an undo failed, or what a defect left cannot be known
	again   vtime.Time // next act of a Periodic; Never without
	errs    []error
	stood   bool // its state was read back after the strike and before the heal
	seen    faults.Evidence
}

type state uint8

const (
	pending state = iota
	active
	healed
)

// laid is one target of an occurrence.
type laid struct {
	faults.Active
	name string
	done func() error
}

// New returns an Executor for a bound plan. A kind whose surface is not there is refused before anything is
// touched.
func New(p *plan.Plan, s faults.Surfaces, opt Options) (*Executor, error) {
	e := &Executor{surfaces: s, opt: opt}
	var errs []error
	for i := range p.Faults {
		f := &p.Faults[i]
		kind, ok := faults.Lookup(f.Kind)
		if !ok {
			errs = append(errs, fmt.Errorf("fault %s: kind %q is not in this build's catalogue", f.Name, f.Kind))
			continue
		}
		if m := s.Missing(kind); m != "" {
			errs = append(errs, fmt.Errorf("fault %s: %s needs the surface %q, which this lab does not have", f.Name, f.Kind, m))
		}
		if f.Params == nil || len(f.Targets) == 0 {
			errs = append(errs, fmt.Errorf("fault %s: no params or no target", f.Name))
		} else if err := f.Params.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("fault %s: %w", f.Name, err))
		}
		e.all = append(e.all, occurrence{Fault: f, index: int32(i), kind: kind, again: vtime.Never})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return e, nil
}

// Deadline is the next instant at which something is due; vtime.Never when all is healed.
func (e *Executor) Deadline() vtime.Time {
	at := vtime.Never
	for i := range e.all {
		at = min(at, e.all[i].deadline())
	}
	return at
}

func (o *occurrence) deadline() vtime.Time {
	switch o.state {
	case pending:
		return vtime.Time(o.At)
	case active:
		return min(o.due, o.again)
	}
	return vtime.Never
}

// Step does what is due at now: heals before it strikes, so that two faults that touch do not overlap.
func (e *Executor) Step(now vtime.Time) {
	for i := range e.all {
		if o := &e.all[i]; o.state == active && now >= o.due {
			e.heal(o, now)
		}
	}
	for i := range e.all {
		o := &e.all[i]
		switch {
		case o.state == pending && now >= vtime.Time(o.At):
			e.strike(o, now)
		case o.state == active && now >= o.again:
			e.repeat(o, now)
		}
	}
}

// Close heals everything that still lies, due or not. What never struck stays so. It may be called twice.
func (e *Executor) Close(now vtime.Time) {
	for i := len(e.all) - 1; i >= 0; i-- {
		if o := &e.all[i]; o.state == active {
			e.heal(o, now)
		} else {
			o.state = healed
		}
	}
}

// strike lays o on each of its targets. Where one fails, those that were laid are taken off again: half a fault
// is not the fault that was asked for.
func (e *Executor) strike(o *occurrence, now vtime.Time) {
	o.state = active
	o.due = vtime.Time(o.End())
	for _, t := range o.Targets {
		l := laid{name: t.Name}
		err := e.record(o, &l)
		if err == nil {
			err = guard(func() (err error) {
				l.Active, err = o.Params.Strike(e.surfaces, faults.Strike{
					Dir: t.Dir, Host: t.Host, Index: o.index, Key: o.Stream(t),
				})
				return err
			})
		}
		if l.Active != nil {
			o.actives = append(o.actives, l)
		} else if errors.Is(err, errPanic) {
			o.residue = true // its record stays: what it did before is not known
		} else if l.done != nil {
			err = errors.Join(err, l.done())
		}
		if err != nil {
			o.errs = append(o.errs, fmt.Errorf("%s on %s: %w", o.Kind, t.Name, err))
			o.struck = e.clock(now)
			e.heal(o, now)
			return
		}
	}
	o.struck = e.clock(now)
	o.due = o.struck.Add(o.For.Std())
	o.laidAll = true
	o.stood = e.standing(o)
	o.pace(now)
	e.emit(event.Event{At: o.struck, Kind: event.FaultStrike, A: uint64(o.index), B: uint64(o.At)})
}

// record writes the intent; without it nothing may be done.
func (e *Executor) record(o *occurrence, l *laid) (err error) {
	if e.opt.Undo != nil {
		l.done, err = e.opt.Undo.Record(OpFault, l.name, Args{Fault: o.Name, Kind: o.Kind, Until: int64(o.End())})
	}
	return err
}

// repeat lets the periodic targets of o act once more.
func (e *Executor) repeat(o *occurrence, now vtime.Time) {
	for _, l := range o.actives {
		if p, ok := l.Active.(faults.Periodic); ok {
			if err := guard(p.Again); err != nil {
				o.errs = append(o.errs, fmt.Errorf("%s on %s: %w", o.Kind, l.name, err))
			}
		}
	}
	o.pace(now)
}

// pace sets the instant at which o has to act again.
func (o *occurrence) pace(now vtime.Time) {
	o.again = vtime.Never
	for _, l := range o.actives {
		if p, ok := l.Active.(faults.Periodic); ok {
			err := guard(func() error { o.again = min(o.again, now.Add(p.Every().Std())); return nil })
			if err != nil {
				o.errs = append(o.errs, fmt.Errorf("%s on %s: %w", o.Kind, l.name, err))
			}
		}
	}
}

// heal reads the evidence and takes o off all its targets, the latest first. A target that fails does not keep
// the others.
func (e *Executor) heal(o *occurrence, now vtime.Time) {
	o.stood = e.standing(o) && o.stood
	e.measure(o)
	for i := len(o.actives) - 1; i >= 0; i-- {
		l := &o.actives[i]
		err := guard(l.Remove)
		if err == nil {
			if still, serr := l.standing(); serr != nil || still {
				err = errors.Join(serr, errors.New("still in effect after its removal"))
			}
		}
		if err == nil && l.done != nil {
			err = l.done()
		}
		if err != nil {
			o.residue = true
			o.errs = append(o.errs, fmt.Errorf("undo of %s on %s: %w", o.Kind, l.name, err))
		}
	}
	e.measure(o) // what passed until the removal
	o.state = healed
	o.healed = e.clock(now)
	if o.seen.Confirmed() {
		e.emit(event.Event{At: o.healed, Kind: event.FaultConfirmed, A: uint64(o.index), B: o.seen.Matched})
	}
	e.emit(event.Event{At: o.healed, Kind: event.FaultHeal, A: uint64(o.index), B: uint64(o.End())})
}

// standing reads the state of every target back.
func (e *Executor) standing(o *occurrence) bool {
	for _, l := range o.actives {
		ok, err := l.standing()
		if err != nil {
			o.errs = append(o.errs, fmt.Errorf("reading %s on %s back: %w", o.Kind, l.name, err))
		}
		if !ok {
			return false
		}
	}
	return len(o.actives) > 0
}

// standing is Standing of a target, a panic being an error.
func (l *laid) standing() (ok bool, err error) {
	err = guard(func() (err error) { ok, err = l.Standing(); return err })
	return ok, err
}

// measure takes the counters of every target.
func (e *Executor) measure(o *occurrence) {
	sum := faults.Evidence{Rule: o.kind.Rule, Stood: o.stood}
	for _, l := range o.actives {
		err := guard(func() error {
			c, err := l.Counters()
			sum.Add(c, l.Chance())
			return err
		})
		if err != nil {
			o.errs = append(o.errs, fmt.Errorf("counters of %s on %s: %w", o.Kind, l.name, err))
		}
	}
	o.seen = sum
}

func (e *Executor) clock(now vtime.Time) vtime.Time {
	if e.opt.Clock == nil {
		return now
	}
	return e.opt.Clock()
}

func (e *Executor) emit(ev event.Event) {
	if e.opt.Sink != nil {
		e.ev = ev
		e.ev.Node = -1
		e.opt.Sink.Emit(&e.ev)
	}
}

var errPanic = errors.New("panic")

// guard turns a panic of a fault into its error: a defect in one kind must not keep the others from being undone.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, r, debug.Stack())
		}
	}()
	return f()
}
