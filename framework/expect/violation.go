package expect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stellarlab/stellarlab/framework/oracle"
)

// violation expects exactly one invariant to be violated, by a fault: for scenarios that must break something,
// to show that it is noticed.
type violation struct {
	Invariant string `yaml:"invariant" doc:"the invariant that must be violated"`
	By        string `yaml:"by" doc:"the fault that must be active at every violation"`
}

// Validate implements Params.
func (p *violation) Validate() error {
	var errs []error
	if _, ok := oracle.Lookup(p.Invariant); !ok || p.Invariant == "residue" {
		var names []string
		for _, i := range oracle.Catalogue() {
			if i.Name != "residue" {
				names = append(names, i.Name)
			}
		}
		errs = append(errs, fmt.Errorf("invariant: %q is none of %s", p.Invariant, strings.Join(names, ", ")))
	}
	if p.By == "" {
		errs = append(errs, errors.New("by: name the fault"))
	}
	return errors.Join(errs...)
}

// Refs implements Params.
func (p *violation) Refs() Refs { return Refs{Faults: []string{p.By}} }

// Excuses is the invariant whose violation is what the scenario asks for: it does not fail the run by itself.
func (p *violation) Excuses() string { return p.Invariant }

// Judge implements Params. The measured value is the number of violations.
func (p *violation) Judge(e *Evidence) Finding {
	var got uint64
	for _, r := range e.Invariants {
		if r.Name != p.Invariant {
			if r.Total > 0 {
				return unmeasured(Fail, 1, "%s is violated too: %s", r.Name, r.Violations[0].What)
			}
			continue
		}
		got = r.Total
		for _, v := range r.Violations {
			if !slices.ContainsFunc(strings.Split(v.Fault, ", "), func(o string) bool { return means(p.By, o) }) {
				return found(Fail, float64(got), 1, "violated at %v without fault %q: %s", v.At, p.By, v.What)
			}
		}
	}
	return found(passIf(got > 0), float64(got), 1, "%d violations of %s", got, p.Invariant)
}
