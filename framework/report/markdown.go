package report

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes a verdict as a page for people.
func Markdown(w io.Writer, v *Verdict) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\nLab %s, seed %d, scenario digest `%s`, run `%s`.\n", v.Scenario.Name, v.final(), v.Lab, v.Seed, v.Scenario.Digest, v.Run)
	if v.Reason != "" {
		fmt.Fprintf(&b, "\nBecause: %s\n", cell(v.Reason))
	}
	b.WriteString("\n## Expectations\n\n| name | outcome | measured | limit | |\n| --- | --- | --- | --- | --- |\n")
	for _, e := range v.Expectations {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", cell(e.Name), e.Outcome, value(e.Measured, e.Unit), value(e.Limit, e.Unit), cell(e.Message))
	}
	b.WriteString("\n## Invariants\n\n| name | outcome | checked | violations |\n| --- | --- | --- | --- |\n")
	for _, i := range v.Invariants {
		fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", i.Name, i.Outcome, i.Checked, i.Total)
	}
	for _, i := range v.Invariants {
		for _, x := range i.Violations {
			fmt.Fprintf(&b, "\n- %s at %d ns, %s: %s", i.Name, x.At, x.Operation, cell(x.What))
		}
	}
	b.WriteString("\n## Faults\n\n| name | kind | target | confirmation | noticed | goodput floor | recovered |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, f := range v.Faults {
		noticed, floor, back := "-", "-", "-"
		if e := f.Effect; e != nil {
			noticed, back = Nanos(e.DetectedAfter), Nanos(e.RecoveredAfter)
			if e.GoodputFloor != nil {
				floor = fmt.Sprintf("%.0f %%", 100**e.GoodputFloor)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", cell(f.Name), f.Kind, cell(brief(f.Target)), f.Confirmation, noticed, floor, back)
	}
	b.WriteString("\n## Workloads\n\n| name | messages | bytes | failed | goodput | completion p50 / p99 / max |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, l := range v.Workloads {
		c := "-"
		if l.Completion != nil {
			c = fmt.Sprintf("%.1f / %.1f / %.1f µs", l.Completion.P50, l.Completion.P99, l.Completion.Max)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %s | %s |\n", cell(l.Name), l.Operations, Bytes(l.Bytes), l.Failures, strings.TrimPrefix(l.mean(), ", "), c)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell makes a text fit for a table cell.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s)
}
