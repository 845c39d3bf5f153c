package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/stellarlab/stellarlab/framework/expect"
)

// Text writes the short summary for a terminal.
func Text(w io.Writer, v *Verdict) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\t%s on %s, seed %d\n", strings.ToUpper(string(v.final())), v.Scenario.Name, v.Lab, v.Seed)
	if v.Reason != "" {
		fmt.Fprintf(t, "  because\t%s\n", v.Reason)
	}
	for _, f := range v.Faults {
		fmt.Fprintf(t, "  fault %s\t%s on %s: %s%s\n", f.Name, f.Kind, brief(f.Target), f.Confirmation, effect(f.Effect))
	}
	for _, e := range v.Expectations {
		fmt.Fprintf(t, "  %s\t%s: %s\n", e.Name, e.Outcome, e.Message)
	}
	held, checked := 0, uint64(0)
	for _, i := range v.Invariants {
		checked += i.Checked
		if i.Outcome == expect.Pass {
			held++
			continue
		}
		fmt.Fprintf(t, "  %s\t%s: %s\n", i.Name, i.Outcome, i.brief())
	}
	fmt.Fprintf(t, "  invariants\t%d of %d held, %d checks\n", held, len(v.Invariants), checked)
	for _, l := range v.Workloads {
		fmt.Fprintf(t, "  workload %s\t%d messages, %s, %d failed%s; %d of %d packets sent again\n",
			l.Name, l.Operations, Bytes(l.Bytes), l.Failures, l.mean(), l.Retransmits, l.Packets)
	}
	fmt.Fprintf(t, "  packets\t%d sent over links, %d dropped%s\n", v.Ledger.Sent, v.Ledger.drops(), v.Ledger.byCause())
	for _, r := range v.Residue {
		fmt.Fprintf(t, "  left behind\t%s %s\n", r.Kind, r.Identity)
	}
	fmt.Fprintf(t, "  time\t%.4g s in the lab, %.3g s on the wall\n", v.LabSeconds, v.WallSeconds)
	return t.Flush()
}

// final is the outcome, or what stands for it while there is none.
func (v *Verdict) final() expect.Outcome {
	if v.Outcome == "" {
		return "unfinished"
	}
	return v.Outcome
}

// brief names up to three targets.
func brief(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:2], ", "), len(names)-2)
	}
	return strings.Join(names, ", ")
}

// effect words what a fault did.
func effect(e *Effect) string {
	if e == nil {
		return ""
	}
	s := ""
	if e.DetectedAfter != nil {
		s += ", noticed after " + Nanos(e.DetectedAfter)
	}
	if e.GoodputFloor != nil {
		s += fmt.Sprintf(", goodput down to %.0f %%", 100**e.GoodputFloor)
	}
	if e.RecoveredAfter != nil {
		s += ", recovered after " + Nanos(e.RecoveredAfter)
	}
	return s
}

// brief words an invariant that did not hold.
func (i *Invariant) brief() string {
	if len(i.Violations) == 0 {
		return i.Message
	}
	v := &i.Violations[0]
	at := v.At
	return fmt.Sprintf("%d violations, the first at %s: %s", i.Total, Nanos(&at), v.What)
}

func (l *Workload) mean() string {
	if l.Goodput == nil {
		return ""
	}
	return ", " + Rate(l.Goodput.Mean)
}

func (l *Ledger) drops() (n uint64) {
	for _, d := range l.Dropped {
		n += d
	}
	return n
}

func (l *Ledger) byCause() string {
	var parts []string
	for _, c := range causes {
		if n := l.Dropped[c]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c, n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
