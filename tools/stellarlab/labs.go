package main

import (
	"fmt"

	"github.com/stellarlab/stellarlab/framework/labs"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

// table are the labs of this build, and missing says what one needs that this machine lacks.
var (
	table   = labs.Table()
	missing = labs.Missing
)

// able checks what the plans need of this machine before anything is touched.
func (a *app) able(all []*scenario.Resolved) error {
	for _, r := range all {
		if err := missing(r.Lab); err != nil {
			return &exitError{exitMissing, fmt.Errorf("scenario %s needs the lab %s, and this machine lacks what it takes; nothing was touched:\n%w", r.Name, r.Lab, err)}
		}
	}
	return nil
}
