package main

import (
	"bytes"
	"io"

	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/framework/run"
)

// Execute runs a command line in this process.
func Execute(args []string, stdout, stderr io.Writer) int { return execute(args, stdout, stderr) }

// Worse returns the worse of two exit codes.
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

// Help returns every verb's name and help, in order.
func Help() (names, help []string) {
	root := (&app{out: io.Discard, err: io.Discard}).root()
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		var b bytes.Buffer
		c.SetOut(&b)
		if err := c.Help(); err != nil {
			panic(err)
		}
		names, help = append(names, c.CommandPath()), append(help, b.String())
	}
	return names, help
}
