package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

func (a *app) plan() *cobra.Command {
	var in input
	var whole bool
	c := &cobra.Command{
		Use:     "plan FILE",
		Short:   "Print what would be run: concrete faults in order of time, and what overlaps; run nothing",
		Example: "  stellarlab plan suites/scenarios/dead-spine.yaml --lab netns --seed 7",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if whole && a.json {
				return usage(errors.New("--yaml and --json: give one of them"))
			}
			all, err := in.resolve(c, args)
			if err != nil {
				return err
			}
			r := all[0]
			if whole {
				b, err := r.EncodePlan()
				if err != nil {
					return err
				}
				a.say("%s", b)
				return nil
			}
			digest, err := r.Digest()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(planJSON(r, digest))
			}
			a.printPlan(r, digest)
			return nil
		},
	}
	in.flags(c)
	c.Flags().BoolVar(&whole, "yaml", false, "print the whole plan.yaml, as run would write it")
	return c
}

type faultJSON struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	At      int64    `json:"at"`
	For     int64    `json:"for"`
	Targets []string `json:"targets"`
}

func planJSON(r *scenario.Resolved, digest string) map[string]any {
	list := []faultJSON{}
	for i := range r.Plan.Faults {
		f := &r.Plan.Faults[i]
		j := faultJSON{Name: f.Name, Kind: f.Kind, At: int64(f.At), For: int64(f.For)}
		for _, t := range f.Targets {
			j.Targets = append(j.Targets, t.Name)
		}
		list = append(list, j)
	}
	return map[string]any{
		"scenario": r.Name, "lab": r.Lab, "seed": r.Seed, "digest": digest, "hosts": r.Graph.Hosts(),
		"links": len(r.Graph.Links), "flows": len(r.Flows), "limit": int64(r.Limit), "faults": list,
		"overlaps": r.Plan.Overlaps(),
	}
}

func (a *app) printPlan(r *scenario.Resolved, digest string) {
	a.say("%s on %s, seed %d\n", r.Name, r.Lab, r.Seed)
	a.say("digest %s\n", digest)
	a.say("%d hosts, %d switches, %d links; %d flows; limit %v\n\n", r.Graph.Hosts(), len(r.Graph.Nodes)-r.Graph.Hosts(), len(r.Graph.Links), len(r.Flows), r.Limit)
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "AT\tFOR\tNAME\tKIND\tTARGETS") //nolint:errcheck // flushed below
	for i := range r.Plan.Faults {
		f := &r.Plan.Faults[i]
		var names []string
		for _, t := range f.Targets {
			names = append(names, t.Name)
		}
		if len(names) > 4 {
			names = append(names[:4], fmt.Sprintf("and %d more", len(names)-4))
		}
		fmt.Fprintf(w, "%v\t%v\t%s\t%s\t%s\n", f.At, f.For, f.Name, f.Kind, strings.Join(names, " ")) //nolint:errcheck // flushed below
	}
	w.Flush() //nolint:errcheck // a closed terminal is no reason to stop
	overlaps := r.Plan.Overlaps()
	if len(overlaps) == 0 {
		a.say("\nno two faults overlap on a target\n")
		return
	}
	a.say("\noverlaps, and what holds while they last:\n")
	for _, o := range overlaps {
		a.say("  %v to %v  %s: %s\n", o.From, o.To, o.Target, o.Effect)
	}
}
