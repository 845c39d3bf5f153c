package oracle

import (
	"fmt"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Violation is one observation that an invariant forbids.
type Violation struct {
	At        vtime.Time
	What      string // names the thing, the value, and what would have been right
	Operation string // the message, as flow index and message number; empty where none is meant
	Fault     string // the fault occurrences active at that instant; empty: none
}

// Result is what one invariant has to say at the end of a run.
type Result struct {
	Name       string
	Checked    uint64      // observations compared; 0: the run gave nothing to check
	Violations []Violation // the first keep of them
	Total      uint64      // all of them
	Open       string      // why the run cannot be called clean although nothing was violated; empty: it can
}

// keep is how many violations of one invariant are kept in full.
const keep = 16

// tally is the part that every invariant has: counts, and the first violations.
type tally struct {
	checked    uint64
	violations []Violation
	total      uint64
	open       string
}

// fail records a violation. Formatting happens for the kept ones only: a broken run may violate an invariant
// millions of times.
func (t *tally) fail(s *step, format string, args ...any) {
	t.total++
	if len(t.violations) >= keep {
		return
	}
	v := Violation{At: s.at, What: fmt.Sprintf(format, args...)}
	if s.flow != nil {
		v.Operation = fmt.Sprintf("flow %d message %d", s.flow.index, s.message)
	}
	if s.active != nil {
		v.Fault = s.active()
	}
	t.violations = append(t.violations, v)
}
