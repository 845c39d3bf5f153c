package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/framework/nslab"
	"github.com/stellarlab/stellarlab/internal/undo"
)

// diagnosis is what doctor says.
type diagnosis struct {
	Labs      map[string]bool `json:"labs"`
	Abilities []nslab.Ability `json:"abilities"`
	Kinds     []kindAbility   `json:"kinds"`
	Leftovers []undo.Item     `json:"leftovers"`
	Damaged   []string        `json:"damaged"`
}

// kindAbility says where one fault kind can be injected.
type kindAbility struct {
	Kind  string `json:"kind"`
	Sim   bool   `json:"sim"`
	Netns bool   `json:"netns"`
	Why   string `json:"why,omitempty"` // why not in namespaces, with the remedy
}

func (a *app) doctor() *cobra.Command {
	var require []string
	c := &cobra.Command{
		Use:     "doctor",
		Short:   "Say what this machine can do, per lab and fault kind, what to do about the rest, and what dead runs left",
		Example: "  stellarlab doctor\n  stellarlab doctor --require link.down,page.evict --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			d, err := a.diagnose()
			if err != nil {
				return err
			}
			if a.json {
				if err := a.printJSON(d); err != nil {
					return err
				}
			} else {
				a.printDiagnosis(d)
			}
			return d.requires(require)
		},
	}
	c.Flags().StringSliceVar(&require, "require", nil, "exit 4 unless these fault kinds can be injected in namespaces")
	return c
}

func (a *app) diagnose() (*diagnosis, error) {
	d := &diagnosis{Labs: map[string]bool{"sim": true, "netns": true}, Abilities: nslab.Probe(), Damaged: []string{}}
	var why []string
	for _, x := range d.Abilities {
		if x.Needed && !x.OK {
			d.Labs["netns"] = false
			why = append(why, fmt.Sprintf("%s: %s; remedy: %s", x.Name, x.Detail, x.Remedy))
		}
	}
	d.Abilities = append(d.Abilities, tool("tshark", "apt-get install tshark: reads captures in tests"), tool("ip", "apt-get install iproute2: looks into a lab's namespaces by hand"))
	for _, k := range faults.Catalogue() {
		d.Kinds = append(d.Kinds, kindAbility{Kind: k.Name, Sim: true, Netns: d.Labs["netns"], Why: strings.Join(why, "; ")})
	}
	r, err := nslab.Collect(a.stateDir, true)
	if err != nil {
		return nil, err
	}
	d.Leftovers, d.Damaged = r.Items, append(d.Damaged, r.Notes...)
	return d, nil
}

// tool looks for a program.
func tool(name, remedy string) nslab.Ability {
	path, err := exec.LookPath(name)
	if err != nil {
		return nslab.Ability{Name: "tool " + name, Detail: "not found", Remedy: remedy}
	}
	return nslab.Ability{Name: "tool " + name, OK: true, Detail: path}
}

func (a *app) printDiagnosis(d *diagnosis) {
	mark := map[bool]string{true: "yes", false: "no"}
	a.say("lab sim              yes\nlab netns            %s\n\n", mark[d.Labs["netns"]])
	for _, x := range d.Abilities {
		a.say("%-20s %-4s %s\n", x.Name, mark[x.OK], x.Detail)
		if x.Remedy != "" {
			a.say("%-25s remedy: %s\n", "", x.Remedy)
		}
	}
	a.say("\n%-20s sim  netns\n", "fault kind")
	for _, k := range d.Kinds {
		a.say("%-20s %-4s %s\n", k.Kind, mark[k.Sim], mark[k.Netns])
	}
	a.say("\n")
	for _, i := range d.Leftovers {
		a.say("left by dead run %s: %s %s; stellarlab gc removes it\n", i.Run, i.Op, i.Identity)
	}
	for _, n := range d.Damaged {
		a.say("damaged undo log: %s\n", n)
	}
	if len(d.Leftovers)+len(d.Damaged) == 0 {
		a.say("no dead run left anything\n")
	}
}

// requires fails for a kind that cannot be injected in namespaces, and for one that nobody knows.
func (d *diagnosis) requires(kinds []string) error {
	var missing, unknown []error
	for _, want := range kinds {
		found := false
		for _, k := range d.Kinds {
			if k.Kind != want {
				continue
			}
			found = true
			if !k.Netns {
				missing = append(missing, fmt.Errorf("%s cannot be injected here: %s", want, k.Why))
			}
		}
		if !found {
			unknown = append(unknown, fmt.Errorf("no fault kind is called %q: see stellarlab faults", want))
		}
	}
	if err := errors.Join(unknown...); err != nil {
		return usage(err)
	}
	if err := errors.Join(missing...); err != nil {
		return &exitError{exitMissing, err}
	}
	return nil
}
