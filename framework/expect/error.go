package expect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stellarlab/stellarlab/datapath/engine"
)

// failure expects completions with an ibverbs error status.
type failure struct {
	Workload string  `yaml:"workload" doc:"the workload whose completions are counted"`
	Status   string  `yaml:"status" doc:"name of the ibverbs status, such as RETRY_EXC_ERR"`
	Count    *uint64 `yaml:"count" doc:"exactly so many; without it at least one"`
}

// statuses are the completion statuses that can be expected, by the name of ibv_wc_status without its prefix.
var statuses = []struct {
	name   string
	status engine.Status
}{
	{"FATAL_ERR", engine.FatalErr},
	{"GENERAL_ERR", engine.GeneralErr},
	{"LOC_LEN_ERR", engine.LocLenErr},
	{"LOC_PROT_ERR", engine.LocProtErr},
	{"LOC_QP_OP_ERR", engine.LocQPOpErr},
	{"REM_ACCESS_ERR", engine.RemAccessErr},
	{"REM_INV_REQ_ERR", engine.RemInvReqErr},
	{"REM_OP_ERR", engine.RemOpErr},
	{"RETRY_EXC_ERR", engine.RetryExcErr},
	{"WR_FLUSH_ERR", engine.WRFlushErr},
}

func (p *failure) status() (engine.Status, bool) {
	name := strings.TrimPrefix(p.Status, "IBV_WC_")
	i := slices.IndexFunc(statuses, func(s struct {
		name   string
		status engine.Status
	}) bool {
		return s.name == name
	})
	if i < 0 {
		return 0, false
	}
	return statuses[i].status, true
}

// Validate implements Params.
func (p *failure) Validate() error {
	var errs []error
	if p.Workload == "" {
		errs = append(errs, errors.New("workload: name the workload"))
	}
	if _, ok := p.status(); !ok {
		var names []string
		for _, s := range statuses {
			names = append(names, s.name)
		}
		errs = append(errs, fmt.Errorf("status: %q is none of %s", p.Status, strings.Join(names, ", ")))
	}
	return errors.Join(errs...)
}

// Refs implements Params.
func (p *failure) Refs() Refs { return Refs{Workloads: []string{p.Workload}} }

// Judge implements Params. The measured value is the number of completions with the status.
func (p *failure) Judge(e *Evidence) Finding {
	w := e.Run.Workload(p.Workload)
	if w == nil {
		return unmeasured(Error, 0, "no workload %q in the run", p.Workload)
	}
	status, _ := p.status()
	got := w.Statuses[int(status)%len(w.Statuses)]
	if p.Count == nil {
		return found(passIf(got > 0), float64(got), 1, "%d completions with %s, where at least one is asked", got, p.Status)
	}
	return found(passIf(got == *p.Count), float64(got), float64(*p.Count), "%d completions with %s, where %d are asked", got, p.Status, *p.Count)
}
