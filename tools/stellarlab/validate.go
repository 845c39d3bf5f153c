package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

func (a *app) validate() *cobra.Command {
	return &cobra.Command{
		Use:     "validate FILE...",
		Short:   "Check scenario files, for every lab that they mention; run nothing",
		Example: "  stellarlab validate suites/scenarios/*.yaml",
		Args:    files,
		RunE: func(_ *cobra.Command, args []string) error {
			problems := scenario.Problems{}
			for _, f := range args {
				_, err := scenario.Load(f)
				var p scenario.Problems
				switch {
				case errors.As(err, &p):
					problems = append(problems, p...)
				case err != nil:
					return err
				}
			}
			if a.json {
				if err := a.printJSON(map[string]any{"files": len(args), "problems": problems}); err != nil {
					return err
				}
			}
			if len(problems) > 0 {
				if !a.json {
					return usage(problems)
				}
				return &exitError{code: exitUsage}
			}
			a.say("%d file(s), no problem\n", len(args))
			return nil
		},
	}
}
