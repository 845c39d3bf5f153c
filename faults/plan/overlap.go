package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/internal/units"
)

// Overlap is a time in which two faults or more lie on one target.
type Overlap struct {
	Target string         `json:"target"`
	From   units.Duration `json:"from"`
	To     units.Duration `json:"to"`
	Faults []string       `json:"faults"` // by order of injection
	Effect string         `json:"effect"` // the fold, in words
}

// Overlaps returns the folds of the plan, by target and time.
func (p *Plan) Overlaps() []Overlap {
	on := map[string][]*Fault{}
	var targets []string
	for i := range p.Faults {
		for _, t := range p.Faults[i].Targets {
			if on[t.Name] == nil {
				targets = append(targets, t.Name)
			}
			on[t.Name] = append(on[t.Name], &p.Faults[i])
		}
	}
	slices.Sort(targets)
	out := []Overlap{}
	for _, t := range targets {
		var edges []units.Duration
		for _, f := range on[t] {
			edges = append(edges, f.At, f.End())
		}
		slices.Sort(edges)
		edges = slices.Compact(edges)
		for i := 1; i < len(edges); i++ {
			var active []*Fault
			for _, f := range on[t] {
				if f.At <= edges[i-1] && f.End() >= edges[i] {
					active = append(active, f)
				}
			}
			if len(active) > 1 {
				out = append(out, fold(t, edges[i-1], edges[i], active))
			}
		}
	}
	return out
}

// fold says what holds while all of active lie on a target.
func fold(target string, from, to units.Duration, active []*Fault) Overlap {
	o := Overlap{Target: target, From: from, To: to}
	pass := 1.0
	var parts []string
	down, hole := false, false
	for _, f := range active {
		o.Faults = append(o.Faults, f.Name)
		switch p := f.Params.(type) {
		case *faults.LinkDown:
			down = true
		case *faults.LinkBlackhole:
			hole = true
		case *faults.LinkLoss:
			pass *= 1 - float64(p.P)
		default:
			parts = append(parts, f.Kind)
		}
	}
	switch {
	case down:
		o.Effect = "no carrier: down wins"
	case hole:
		o.Effect = "nothing comes out"
	case pass < 1:
		o.Effect = fmt.Sprintf("loss %.6g %%", 100*(1-pass))
	}
	if len(parts) > 0 {
		o.Effect = strings.TrimPrefix(o.Effect+"; ", "; ") + strings.Join(parts, " and ") + " act separately"
	}
	o.Effect += " (" + strings.Join(o.Faults, ", ") + ")"
	return o
}
