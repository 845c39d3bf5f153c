package run

import (
	"context"

	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

// File loads a scenario file, resolves it for a lab and runs it once. An error without a verdict is about the
// file.
func File(ctx context.Context, path, lab string, o Options) (*report.Verdict, error) {
	s, err := scenario.Load(path)
	if err != nil {
		return nil, err
	}
	r, err := s.Resolve(scenario.Options{Lab: lab})
	if err != nil {
		return nil, err
	}
	return Run(ctx, r, o)
}
