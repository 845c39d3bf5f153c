package workload

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/units"
)

// Hosts is one host, a list of hosts, or all of them.
type Hosts []string

// All is the name that stands for all hosts.
const All = "all"

// Write is RDMA WRITEs from some hosts to others: one flow for every pair of a source and another target.
type Write struct {
	From   Hosts          `yaml:"from" doc:"host, list of hosts, or all"`
	To     Hosts          `yaml:"to" doc:"host, list of hosts, or all"`
	Size   units.Size     `yaml:"size" doc:"bytes per message"`
	Depth  int            `yaml:"depth" default:"1" doc:"work requests outstanding per queue pair"`
	Count  uint64         `yaml:"count,omitempty" doc:"messages per queue pair; give one of count, bytes and time"`
	Bytes  units.Size     `yaml:"bytes,omitempty" doc:"per queue pair, rounded up to whole messages"`
	Time   units.Duration `yaml:"time,omitempty" doc:"messages are posted for this long"`
	QPs    int            `yaml:"qps" default:"1" doc:"queue pairs per source and target"`
	Memory string         `yaml:"memory,omitempty" default:"host" doc:"type of the memory at both ends: host"`
	Rate   units.Rate     `yaml:"rate,omitempty" default:"as fast as possible" doc:"offered per queue pair"`
	Common `yaml:",inline"`
}

var writeKind = Kind{
	Name:    "write",
	Does:    "RDMA WRITEs from each source host to each target host, some outstanding at a time",
	Example: "write: {from: host0, to: host4, size: 1MiB, depth: 8, time: 30ms}",
	New:     func() Params { return &Write{Depth: 1, QPs: 1} },
}

// Validate implements Params.
func (p *Write) Validate() error {
	errs := append(p.check(), checkSize("size", p.Size)...)
	if len(p.From) == 0 || len(p.To) == 0 {
		errs = append(errs, errors.New("from and to: each want a host, a list of hosts, or all"))
	}
	ends := 0
	for _, given := range []bool{p.Count > 0, p.Bytes > 0, p.Time > 0} {
		if given {
			ends++
		}
	}
	if ends != 1 {
		errs = append(errs, fmt.Errorf("count, bytes, time: %d of them are given, where exactly one says when to end", ends))
	}
	if p.Bytes > 0 && p.Size == 0 {
		errs = append(errs, errors.New("size is 0B: messages without bytes never add up to bytes; want count or time"))
	}
	if p.Depth < 1 || p.Depth > maxDepth {
		errs = append(errs, fmt.Errorf("depth is %d: want 1 to %d", p.Depth, maxDepth))
	} else if uint64(p.Depth)*uint64(p.Size) > maxBuffer {
		errs = append(errs, fmt.Errorf("depth × size is %v: want at most %v outstanding per queue pair", units.Size(uint64(p.Depth)*uint64(p.Size)), units.Size(maxBuffer)))
	}
	if p.QPs < 1 || p.QPs > maxFlows {
		errs = append(errs, fmt.Errorf("qps is %d: want 1 to %d", p.QPs, maxFlows))
	}
	if p.Memory != "" && p.Memory != "host" {
		errs = append(errs, fmt.Errorf("memory is %q: this build emulates host memory; want host", p.Memory))
	}
	return errors.Join(errs...)
}

// Flows implements Params.
func (p *Write) Flows(c Context) ([]host.Flow, error) {
	from, err1 := p.From.resolve("from", c.Graph)
	to, err2 := p.To.resolve("to", c.Graph)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	var flows []host.Flow
	for _, f := range from {
		for _, t := range to {
			for range p.QPs {
				if f == t {
					continue
				}
				if len(flows) == maxFlows {
					return nil, fmt.Errorf("from × to × qps: want at most %d queue pairs", maxFlows)
				}
				w := p.flow(f, t)
				w.Size, w.Depth, w.Count, w.For, w.Rate = uint32(p.Size), uint32(p.Depth), p.Count, p.Time.Std(), uint64(p.Rate)
				if p.Bytes > 0 {
					w.Count = (uint64(p.Bytes) + uint64(p.Size) - 1) / uint64(p.Size)
				}
				flows = append(flows, w)
			}
		}
	}
	if len(flows) == 0 {
		return nil, errors.New("from and to: a host does not write to itself, so nothing would be sent")
	}
	return flows, nil
}

// resolve finds the hosts; a name that is listed twice counts once.
func (h Hosts) resolve(field string, g *fabric.Graph) ([]int32, error) {
	var out []int32
	var errs []error
	for _, name := range h {
		if name == All {
			for i := range int32(g.Hosts()) {
				out = append(out, i)
			}
			continue
		}
		n, err := hostNumber(g, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", field, err))
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), errors.Join(errs...)
}
