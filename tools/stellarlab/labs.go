package main

import (
	"errors"
	"fmt"

	"github.com/stellarlab/stellarlab/framework/nslab"
	"github.com/stellarlab/stellarlab/framework/run"
	"github.com/stellarlab/stellarlab/framework/scenario"
	"github.com/stellarlab/stellarlab/framework/simlab"
)

// labs are the labs of this build.
var labs = map[string]run.Build{
	"netns": nslab.Build,
	"sim":   simlab.Build,
}

// able checks what the plans need of this machine before anything is touched.
func (a *app) able(all []*scenario.Resolved) error {
	for _, r := range all {
		if r.Lab != "netns" {
			continue
		}
		var errs []error
		for _, x := range nslab.Probe() {
			if x.Needed && !x.OK {
				errs = append(errs, fmt.Errorf("%s: %s; remedy: %s", x.Name, x.Detail, x.Remedy))
			}
		}
		if err := errors.Join(errs...); err != nil {
			return &exitError{exitMissing, fmt.Errorf("scenario %s needs the namespace lab, and this machine lacks what it takes; nothing was touched:\n%w", r.Name, err)}
		}
		return nil
	}
	return nil
}
