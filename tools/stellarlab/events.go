package main

import (
	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/internal/event"
)

func (a *app) events() *cobra.Command {
	return &cobra.Command{
		Use:     "events",
		Short:   "List the events of a run's journal, with what each holds",
		Example: "  stellarlab events",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			type line struct {
				Name  string `json:"name"`
				Holds string `json:"holds"`
			}
			var all []line
			for k := event.None + 1; k < event.Kinds; k++ {
				all = append(all, line{k.String(), k.Holds()})
			}
			if a.json {
				return a.printJSON(all)
			}
			for _, l := range all {
				a.say("%-16s %s\n", l.Name, l.Holds)
			}
			return nil
		},
	}
}
