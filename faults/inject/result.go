package inject

import (
	"errors"

	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Result is what became of one fault.
type Result struct {
	Name         string
	Kind         string
	Targets      []string
	Optional     bool
	At, For      vtime.Time // requested; For is a length
	Struck       bool       // it was laid on its targets, all of them
	StruckAt     vtime.Time // achieved
	HealedAt     vtime.Time // achieved
	Confirmation faults.Confirmation
	ShadowedBy   string // "another layer" that hid it all its life; "" if none did
	Evidence     map[string]uint64
	Err          error // of the strike or of the undo
	Residue      bool  // the undo failed: something may be left
}

// Results returns what became of each fault, in the order of the plan. Call it after Close.
func (e *Executor) Results() []Result {
	out := make([]Result, len(e.all))
	for i := range e.all {
		o := &e.all[i]
		r := Result{
			Name: o.Name, Kind: o.Kind, Optional: o.Optional,
			At: vtime.Time(o.At), For: vtime.Time(o.For),
			Struck: o.laidAll, StruckAt: o.struck, HealedAt: o.healed,
			Confirmation: faults.Unmeasured, Err: errors.Join(o.errs...), Residue: e.left(o),
			Evidence: map[string]uint64{"seen": o.seen.Seen, "matched": o.seen.Matched, "masked": o.seen.Masked},
		}
		for _, t := range o.Targets {
			r.Targets = append(r.Targets, t.Name)
		}
		switch {
		case len(o.errs) > 0:
			r.Confirmation = faults.Refuted
		case r.Struck:
			r.Confirmation = o.seen.Judge()
		}
		if r.Confirmation == faults.Unmeasured && o.seen.Shadowed() {
			r.ShadowedBy = e.over(o)
		}
		out[i] = r
	}
	return out
}

// over names the fault that hid o: the first by order of injection that overlapped o in time on a target of o and
// acted there. A link that is down wins over what was laid before it, whichever of its ends was set down.
func (e *Executor) over(o *occurrence) string {
	name := "another layer"
	for i := range e.all {
		p := &e.all[i]
		if p == o || !p.laidAll || p.seen.Matched == 0 || p.kind.Needs != o.kind.Needs || p.healed < o.struck || o.healed < p.struck {
			continue
		}
		_, down := p.Params.(*faults.LinkDown)
		if !down && (p.struck > o.struck || p.struck == o.struck && p.index > o.index) {
			continue
		}
		for _, t := range p.Targets {
			for _, u := range o.Targets {
				switch {
				case down && t.Dir.Link() == u.Dir.Link():
					return p.Name
				case t == u && name == "another layer":
					name = p.Name
				}
			}
		}
	}
	return name
}

// left says that some target of o is still under it.
func (e *Executor) left(o *occurrence) bool {
	if o.state != healed || o.residue {
		return o.state == active || o.residue
	}
	for i := range o.actives {
		if still, err := o.actives[i].standing(); err != nil || still {
			return true
		}
	}
	return false
}
