// Package run takes a resolved scenario through a lab: baseline, faults under load, judgement, teardown, and the
// run directory with its verdict. It knows no lab and no fault kind: labs come in a table, faults in the plan.
package run
