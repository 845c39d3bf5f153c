package run

import (
	"slices"
	"time"

	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// meterConfig is the meter's view of the scenario.
func (x *execution) meterConfig() expect.MeterConfig {
	r := x.resolved
	c := expect.MeterConfig{
		Flows: r.Flows, Hosts: r.Graph.Hosts(), Workloads: r.Names, Sample: x.profile.sample, Faults: len(r.Plan.Faults),
	}
	for i := range r.Devices {
		c.Paths = max(c.Paths, r.Devices[i].Paths)
	}
	return c
}

// floored is a lab whose machine allows no shorter retransmission timeout than this.
type floored interface{ Floor() time.Duration }

// judgeConfig is the judge's view of the scenario as sys runs it: the retry budget follows the timeout that the
// devices really have.
func (x *execution) judgeConfig(sys framework.System) oracle.Config {
	r := x.resolved
	devices := r.Devices
	if f, ok := sys.(floored); ok {
		devices = slices.Clone(devices)
		for i := range devices {
			devices[i].RTO = max(devices[i].RTO, f.Floor())
		}
	}
	return oracle.Config{
		Graph: r.Graph, Flows: r.Flows, Devices: devices, Slack: vtime.Time(x.profile.slack),
		Faults: x.occurrences(), Cuts: r.Plan.Cuts(),
	}
}

// occurrences names the faults of the plan.
func (x *execution) occurrences() (names []string) {
	for i := range x.resolved.Plan.Faults {
		names = append(names, x.resolved.Plan.Faults[i].Name)
	}
	return names
}
