// Package scenario is the scenario file: its types, strict decoding, and the resolution of everything random into
// a plan of concrete hosts, flows and faults.
// It runs nothing: framework/run takes what it resolves through a lab.
package scenario

//go:generate env UPDATE=1 go test -count=1 -run ^TestShippedSchemaIsCurrent$ .
