package main

import (
	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/framework/run"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print build, modules and schema versions",
		Example: "  stellarlab version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			e := run.Surroundings()
			if a.json {
				return a.printJSON(map[string]any{
					"version": e.Version, "revision": e.Revision, "go": e.Go, "modules": e.Modules,
					"schemas": map[string]string{"scenario": scenario.Version, "verdict": report.Schema},
				})
			}
			a.say("stellarlab %s %s, built with %s\n", e.Version, e.Revision, e.Go)
			a.say("scenario schema %s, verdict schema %s\n", scenario.Version, report.Schema)
			return nil
		},
	}
}
