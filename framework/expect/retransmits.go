package expect

import (
	"errors"
	"fmt"
)

// retransmits bounds how many data packets were sent again.
type retransmits struct {
	Workload string   `yaml:"workload" doc:"the workload that is counted"`
	AtMost   *Amount  `yaml:"atMost" doc:"share of the packets sent (1%), or a count"`
	Between  []Amount `yaml:"between" doc:"a lower and an upper bound, both inclusive, both shares or both counts"`
}

// Validate implements Params.
func (p *retransmits) Validate() error {
	var errs []error
	if p.Workload == "" {
		errs = append(errs, errors.New("workload: name the workload"))
	}
	if (p.AtMost == nil) == (p.Between == nil) {
		errs = append(errs, errors.New("atMost, between: give exactly one of them"))
	}
	if p.Between != nil {
		switch {
		case len(p.Between) != 2:
			errs = append(errs, fmt.Errorf("between: %d bounds are given, where two are needed", len(p.Between)))
		case p.Between[0].IsShare != p.Between[1].IsShare:
			errs = append(errs, errors.New("between: give two shares or two counts"))
		case p.Between[0].Value > p.Between[1].Value:
			errs = append(errs, errors.New("between: the lower bound comes first"))
		}
	}
	return errors.Join(errs...)
}

// Refs implements Params.
func (p *retransmits) Refs() Refs { return Refs{Workloads: []string{p.Workload}} }

// Judge implements Params. The measured value is a share or a count, as the bound is; the limit is the upper one.
func (p *retransmits) Judge(e *Evidence) Finding {
	var low, high Amount
	if p.AtMost != nil {
		low, high = Amount{IsShare: p.AtMost.IsShare}, *p.AtMost
	} else {
		low, high = p.Between[0], p.Between[1]
	}
	w := e.Run.Workload(p.Workload)
	switch {
	case w == nil:
		return unmeasured(Error, high.Value, "no workload %q in the run", p.Workload)
	case w.Packets == 0:
		return unmeasured(Inconclusive, high.Value, "the workload sent no packet")
	}
	got := float64(w.Retransmits)
	if high.IsShare {
		got /= float64(w.Packets)
	}
	return found(passIf(got >= low.Value && got <= high.Value), got, high.Value,
		"%d of %d packets were sent again, where %s to %s are asked", w.Retransmits, w.Packets, low, high)
}
