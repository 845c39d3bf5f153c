package workload

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/units"
)

// Flows is a list of single transfers, written out or in a connection-matrix file.
type Flows struct {
	List   []FlowSpec `yaml:"list,omitempty" doc:"transfers: {from, to, bytes, start}; give one of list and file"`
	File   string     `yaml:"file,omitempty" doc:"connection matrix in htsim's text; node n is host n; relative to the scenario file"`
	Common `yaml:",inline"`
}

// FlowSpec is one transfer: one RDMA WRITE.
type FlowSpec struct {
	From  string         `yaml:"from" doc:"host"`
	To    string         `yaml:"to" doc:"host"`
	Bytes units.Size     `yaml:"bytes" doc:"of the message"`
	Start units.Duration `yaml:"start,omitempty" default:"0s" doc:"added to the workload's start"`
}

var flowsKind = Kind{
	Name:    "flows",
	Does:    "single transfers from a list or a connection-matrix file, each one message",
	Example: "flows: {list: [{from: host0, to: host5, bytes: 20MiB, start: 1ms}]}",
	New:     func() Params { return &Flows{} },
}

// Validate implements Params.
func (p *Flows) Validate() error {
	errs := p.check()
	if (len(p.List) > 0) == (p.File != "") {
		errs = append(errs, errors.New("list, file: give exactly one of them"))
	}
	for i, f := range p.List {
		errs = append(errs, checkSize(fmt.Sprintf("list[%d].bytes", i), f.Bytes)...)
	}
	return errors.Join(errs...)
}

// Flows implements Params.
func (p *Flows) Flows(c Context) ([]host.Flow, error) {
	list := p.List
	if p.File != "" {
		path := p.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.Dir, path)
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		defer f.Close() //nolint:errcheck // read only
		if list, err = readMatrix(f, c.Graph.Hosts()); err != nil {
			return nil, fmt.Errorf("file %s: %w", p.File, err)
		}
	}
	var errs []error
	flows := make([]host.Flow, 0, len(list))
	for i, s := range list {
		from, err1 := hostNumber(c.Graph, s.From)
		to, err2 := hostNumber(c.Graph, s.To)
		if err := errors.Join(err1, err2); err != nil {
			errs = append(errs, fmt.Errorf("list[%d]: %w", i, err))
			continue
		}
		if from == to {
			errs = append(errs, fmt.Errorf("list[%d]: %s does not write to itself", i, s.From))
		}
		w := p.flow(from, to)
		w.Size, w.Depth, w.Count = uint32(s.Bytes), 1, 1
		w.Start += s.Start.Std()
		flows = append(flows, w)
	}
	return flows, errors.Join(errs...)
}
