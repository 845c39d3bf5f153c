package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

// input are the flags that change what a scenario file says.
type input struct {
	lab  string
	seed uint64
	set  []string
}

func (i *input) flags(c *cobra.Command) {
	c.Flags().StringVar(&i.lab, "lab", "", "sim or netns; what the file says otherwise")
	c.Flags().Uint64Var(&i.seed, "seed", 0, "of every random choice; what the file says otherwise, else drawn")
	c.Flags().StringArrayVar(&i.set, "set", nil, "set one value of the file, such as device.paths=64; may be repeated")
}

// resolve loads and resolves every file; the problems of all are reported together.
func (i *input) resolve(c *cobra.Command, files []string) ([]*scenario.Resolved, error) {
	o := scenario.Options{Lab: i.lab, Set: i.set, Draw: rand.Uint64() >> 1}
	if c.Flags().Changed("seed") {
		o.Seed = &i.seed
	}
	var all []*scenario.Resolved
	var errs []error
	for _, f := range files {
		s, err := scenario.Load(f)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r, err := s.Resolve(o)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, r)
	}
	return all, asUsage(errs)
}

// asUsage joins the problems of several files.
func asUsage(errs []error) error {
	if err := errors.Join(errs...); err != nil {
		return usage(fmt.Errorf("bad input, nothing was touched:\n%w", err))
	}
	return nil
}

// files wants at least one.
func files(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(errors.New("no scenario file given"))
	}
	return nil
}
