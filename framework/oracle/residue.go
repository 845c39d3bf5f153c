package oracle

import "errors"

// Residue judges a teardown by the error of framework.System.Close: each joined error is one thing left.
func Residue(err error) Result {
	r := Result{Name: "residue", Checked: 1}
	for _, e := range Leaves(err) {
		r.Total++
		if len(r.Violations) < keep {
			r.Violations = append(r.Violations, Violation{What: e.Error()})
		}
	}
	return r
}

// Leaves splits a joined error into its members, in order.
func Leaves(err error) []error {
	if err == nil {
		return nil
	}
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) && len(many.Unwrap()) > 0 {
		var out []error
		for _, e := range many.Unwrap() {
			out = append(out, Leaves(e)...)
		}
		return out
	}
	return []error{err}
}
