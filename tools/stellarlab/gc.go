package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/framework/nslab"
	"github.com/stellarlab/stellarlab/internal/undo"
)

func (a *app) gc() *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:   "gc",
		Short: "Undo what dead runs left on this machine, and nothing else",
		Long: `gc reads the undo logs of runs whose process is gone and undoes, newest act first, what they recorded. It touches
no living run, and nothing that was not recorded. Exit code 3: something could not be undone.`,
		Example: "  stellarlab gc --dry-run\n  stellarlab gc --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r, err := nslab.Collect(a.stateDir, dry)
			if err != nil {
				return &exitError{exitResidue, fmt.Errorf("gc: %w", err)}
			}
			if a.json {
				err = a.printJSON(r)
			} else {
				a.printGC(r)
			}
			if err == nil && r.Failed() > 0 {
				err = &exitError{code: exitResidue}
			}
			return err
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "list what would be undone, and for whom")
	return c
}

func (a *app) printGC(r *undo.Report) {
	for _, i := range r.Items {
		a.say("%-14s %s %s of run %s", i.Outcome, i.Op, i.Identity, i.Run)
		if i.Error != "" {
			a.say(": %s", i.Error)
		}
		a.say("\n")
	}
	for _, n := range r.Notes {
		a.say("damaged        %s\n", n)
	}
	for _, n := range r.Living {
		a.say("living         run %s is not touched\n", n)
	}
	if len(r.Items)+len(r.Notes) == 0 {
		a.say("nothing to undo\n")
	}
}
