package expect

import (
	"errors"
	"fmt"
)

// pathUse expects the packets of a workload to be spread over the paths of its queue pairs.
type pathUse struct {
	Workload    string  `yaml:"workload" doc:"the workload that is counted"`
	MaxOverMean float64 `yaml:"maxOverMean" doc:"most packets on one path over the mean of all paths; 0: not asked"`
	Idle        int     `yaml:"idle" default:"0" doc:"paths that may carry nothing"`
}

// Validate implements Params.
func (p *pathUse) Validate() error {
	var errs []error
	if p.Workload == "" {
		errs = append(errs, errors.New("workload: name the workload"))
	}
	if p.MaxOverMean != 0 && p.MaxOverMean < 1 {
		errs = append(errs, fmt.Errorf("maxOverMean: %v is less than 1, which nothing can reach", p.MaxOverMean))
	}
	if p.Idle < 0 {
		errs = append(errs, fmt.Errorf("idle: %d is negative", p.Idle))
	}
	return errors.Join(errs...)
}

// Refs implements Params.
func (p *pathUse) Refs() Refs { return Refs{Workloads: []string{p.Workload}} }

// Judge implements Params. The measured value is the most packets on one path over the mean.
func (p *pathUse) Judge(e *Evidence) Finding {
	w := e.Run.Workload(p.Workload)
	switch {
	case w == nil:
		return unmeasured(Error, p.MaxOverMean, "no workload %q in the run", p.Workload)
	case w.Packets == 0:
		return unmeasured(Inconclusive, p.MaxOverMean, "the workload sent no packet")
	case w.StrayPaths > 0:
		return unmeasured(Fail, p.MaxOverMean, "%d packets on paths beyond the %d of the device", w.StrayPaths, len(w.Paths))
	}
	var most uint64
	idle := 0
	for _, u := range w.Paths {
		most = max(most, u.Packets)
		if u.Packets == 0 {
			idle++
		}
	}
	got := float64(most) * float64(len(w.Paths)) / float64(w.Packets)
	if idle > p.Idle {
		return found(Fail, got, p.MaxOverMean, "%d of %d paths carried nothing, where %d may", idle, len(w.Paths), p.Idle)
	}
	return found(passIf(p.MaxOverMean == 0 || got <= p.MaxOverMean), got, p.MaxOverMean,
		"the fullest of %d paths carried %.2f times the mean, %d idle", len(w.Paths), got, idle)
}
