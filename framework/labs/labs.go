// Package labs is the one list of the labs of this build, and what each needs of the machine.
// It builds none: framework/run does, from the list.
package labs

import (
	"context"
	"errors"
	"fmt"

	"github.com/stellarlab/stellarlab/framework/nslab"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/framework/run"
	"github.com/stellarlab/stellarlab/framework/simlab"
)

// Table returns the labs by name.
func Table() map[string]run.Build {
	return map[string]run.Build{
		"netns": nslab.Build,
		"sim":   simlab.Build,
	}
}

// Missing says what a lab needs and this machine lacks, with the remedies; nil when it can be built here.
func Missing(lab string) error {
	if lab != "netns" {
		return nil
	}
	var errs []error
	for _, a := range nslab.Probe() {
		if a.Needed && !a.OK {
			errs = append(errs, fmt.Errorf("%s: %s; remedy: %s", a.Name, a.Detail, a.Remedy))
		}
	}
	return errors.Join(errs...)
}

// File runs a scenario file in a lab of this build, and writes no run directory: what a suite needs is the verdict.
func File(ctx context.Context, path, lab, stateDir string) (*report.Verdict, error) {
	return run.File(ctx, path, lab, run.Options{Labs: Table(), StateDir: stateDir})
}
