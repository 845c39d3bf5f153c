package main

import (
	"io"

	"github.com/stellarlab/stellarlab/framework/run"
)

// Execute runs a command line in this process.
func Execute(args []string, stdout, stderr io.Writer) int { return execute(args, stdout, stderr) }

// Worse and the rest are what tests look at.
var Worse = worse

// WithLab puts a lab into the table until the returned function is called.
func WithLab(name string, b run.Build) (restore func()) {
	was := table[name]
	table[name] = b
	return func() { table[name] = was }
}

// WithMissing answers what a machine lacks until the returned function is called.
func WithMissing(f func(lab string) error) (restore func()) {
	was := missing
	missing = f
	return func() { missing = was }
}
