package main

import (
	"github.com/stellarlab/stellarlab/framework/run"
	"github.com/stellarlab/stellarlab/framework/scenario"
	"github.com/stellarlab/stellarlab/framework/simlab"
)

// labs are the labs of this build.
var labs = map[string]run.Build{
	"sim": simlab.Build,
}

// able checks what the plans need before anything is touched.
func (a *app) able([]*scenario.Resolved) error { return nil }
