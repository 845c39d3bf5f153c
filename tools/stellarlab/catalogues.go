package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/topology"
	"github.com/stellarlab/stellarlab/framework/workload"
	"github.com/stellarlab/stellarlab/spray"
)

// entry is one kind of a catalogue, as it is printed.
type entry struct {
	Name    string      `json:"name"`
	Facts   []fact      `json:"facts"`
	Params  []parameter `json:"parameters"`
	Example string      `json:"example,omitempty"`
}

type fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type parameter struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default,omitempty"`
	Doc     string `json:"doc"`
}

// catalogue is a verb that lists kinds, or shows one.
func (a *app) catalogue(verb, what, example string, list func() []entry) *cobra.Command {
	return &cobra.Command{
		Use:     verb + " [NAME]",
		Short:   "List the " + what + ", or show one with its parameters, defaults and an example",
		Example: "  stellarlab " + verb + "\n  stellarlab " + verb + " " + example,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			all := list()
			if len(args) == 0 {
				if a.json {
					return a.printJSON(all)
				}
				for _, e := range all {
					a.say("%-18s %s\n", e.Name, e.Facts[0].Text)
				}
				return nil
			}
			var names []string
			for _, e := range all {
				names = append(names, e.Name)
				if e.Name == args[0] {
					if a.json {
						return a.printJSON(e)
					}
					a.show(e)
					return nil
				}
			}
			return usage(fmt.Errorf("no entry of %s is called %q: want one of %s", verb, args[0], strings.Join(names, ", ")))
		},
	}
}

func (a *app) show(e entry) {
	a.say("%s\n", e.Name)
	for _, f := range e.Facts {
		a.say("  %-10s %s\n", f.Name, f.Text)
	}
	if len(e.Params) > 0 {
		a.say("\n  parameters\n")
		for _, p := range e.Params {
			def := ""
			if p.Default != "" {
				def = " (default " + p.Default + ")"
			}
			a.say("    %-14s %-12s %s%s\n", p.Name, p.Type, p.Doc, def)
		}
	}
	if e.Example != "" {
		a.say("\n  example\n    %s\n", e.Example)
	}
}

// parameters reads names, types, defaults and docs off a struct's tags.
func parameters(v any) []parameter {
	t := reflect.TypeOf(v)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	out := []parameter{}
	if t.Kind() != reflect.Struct {
		return out
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if strings.Contains(rest, "inline") {
			out = append(out, parameters(reflect.New(f.Type).Interface())...)
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		kind := f.Type
		for kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		out = append(out, parameter{name, strings.ToLower(kind.Name()), f.Tag.Get("default"), f.Tag.Get("doc")})
		if out[len(out)-1].Type == "" {
			out[len(out)-1].Type = kind.Kind().String()
		}
	}
	return out
}

func (a *app) faultsCmd() *cobra.Command {
	return a.catalogue("faults", "fault kinds", "link.loss", func() (out []entry) {
		for _, k := range faults.Catalogue() {
			p := []parameter{{"link", "selector", "", "link, or {all: SET}, {any: N, of: SET}, {at: SWITCH}"}, {"direction", "string", "both", "both, up, down, or by name: leaf0-to-spine3"}}
			if k.Aim == faults.AtDevice {
				p = []parameter{{"device", "selector", "", "device such as host2/dev0, or {all: devices}, {any: N, of: devices}"}}
			}
			out = append(out, entry{
				Name: k.Name, Example: k.Example, Params: append(p, parameters(k.New())...),
				Facts: []fact{{"models", k.Models}, {"sim", k.Sim}, {"netns", k.Netns}, {"evidence", k.Evidence}, {"undo", k.Undo}, {"composes", k.Composes}},
			})
		}
		return out
	})
}

func (a *app) workloadsCmd() *cobra.Command {
	return a.catalogue("workloads", "workloads", "write", func() (out []entry) {
		for _, k := range workload.Catalogue() {
			out = append(out, entry{Name: k.Name, Example: k.Example, Params: parameters(k.New()), Facts: []fact{{"does", k.Does}}})
		}
		return out
	})
}

func (a *app) topologiesCmd() *cobra.Command {
	return a.catalogue("topologies", "topologies", "leafspine", func() (out []entry) {
		for _, k := range topology.Catalogue() {
			out = append(out, entry{Name: k.Name, Example: k.Example, Params: parameters(k.New()), Facts: []fact{{"makes", k.Makes}}})
		}
		return out
	})
}

func (a *app) policiesCmd() *cobra.Command {
	return a.catalogue("policies", "spray policies", "oblivious", func() (out []entry) {
		for _, k := range spray.Catalogue() {
			out = append(out, entry{Name: k.Name, Params: []parameter{}, Facts: []fact{{"does", k.Does}}, Example: "device: {policy: " + k.Name + "}"})
		}
		return out
	})
}

func (a *app) expectationsCmd() *cobra.Command {
	return a.catalogue("expectations", "expectations", "recovery", func() (out []entry) {
		for _, k := range expect.Catalogue() {
			out = append(out, entry{Name: k.Name, Example: k.Example, Params: parameters(k.New()), Facts: []fact{{"expects", k.Says}, {"unit", k.Unit}}})
		}
		return out
	})
}
