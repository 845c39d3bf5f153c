package workload

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
	line  int            // of a matrix file
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
	list, place := p.List, func(i int) string { return fmt.Sprintf("list[%d]", i) }
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
			return nil, inFile(path, err)
		}
		stretch(list, c.Stretch)
		place = func(i int) string { return fmt.Sprintf("file %s: line %d", path, list[i].line) }
	}
	var errs []error
	flows := make([]host.Flow, 0, len(list))
	for i, s := range list {
		from, err1 := hostNumber(c.Graph, s.From)
		to, err2 := hostNumber(c.Graph, s.To)
		if err := errors.Join(err1, err2); err != nil {
			errs = append(errs, each(err, place(i)+": "))
			continue
		}
		if from == to {
			errs = append(errs, fmt.Errorf("%s: %s does not write to itself", place(i), s.From))
		}
		w := p.flow(from, to)
		w.Size, w.Depth, w.Count = uint32(s.Bytes), 1, 1
		if s.Start > maxStart || p.Start > maxStart {
			errs = append(errs, fmt.Errorf("%s: start: later than %v is beyond reach", place(i), maxStart))
		}
		w.Start += s.Start.Std()
		flows = append(flows, w)
	}
	return flows, errors.Join(errs...)
}

// inFile puts the file before every line of err.
func inFile(path string, err error) error { return each(err, "file "+path+": ") }

// each puts prefix before every line of err.
func each(err error, prefix string) error {
	var errs []error
	for line := range strings.Lines(err.Error()) {
		errs = append(errs, errors.New(prefix+strings.TrimSuffix(line, "\n")))
	}
	return errors.Join(errs...)
}

// stretch multiplies the instants of a file, which the scenario's stretch does not reach by itself.
func stretch(list []FlowSpec, by int) {
	for i := range list {
		if s := &list[i].Start; by > 1 && *s > maxStart/units.Duration(by) {
			*s = maxStart + 1
		} else if by > 1 {
			*s *= units.Duration(by)
		}
	}
}
