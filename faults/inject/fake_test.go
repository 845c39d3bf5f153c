package inject_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/faults/inject"
	"github.com/stellarlab/stellarlab/faults/plan"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/units"
)

// lab is a fake of every surface: stacks of layers, a device with pages and a level of misses.
type lab struct {
	stacks  map[fabric.Dir]*fabric.Stack
	mapped  int
	inert   bool   // layers are laid and do nothing
	fail    string // what goes wrong: lay, panic, remove, stuck, counters
	history []string
	latest  *overlay
}

func newLab() *lab { return &lab{stacks: map[fabric.Dir]*fabric.Stack{}, mapped: 8} }

func (l *lab) surfaces() faults.Surfaces {
	return faults.Surfaces{Links: l, Pages: l, Translation: l}
}

func (l *lab) stack(d fabric.Dir) *fabric.Stack {
	if l.stacks[d] == nil {
		l.stacks[d] = &fabric.Stack{}
	}
	return l.stacks[d]
}

func (l *lab) Lay(d fabric.Dir, layer fabric.Layer) (faults.Overlay, error) {
	l.history = append(l.history, fmt.Sprintf("lay %d", d))
	switch l.fail {
	case "lay":
		return nil, errors.New("no room")
	case "panic":
		panic("defect")
	}
	if l.inert {
		layer.Blackhole, layer.Loss, layer.Corrupt, layer.Down = false, 0, 0, false
	}
	l.latest = &overlay{lab: l, stack: l.stack(d), laid: l.stack(d).Lay(layer)}
	return l.latest, nil
}

func (l *lab) Mapped(fabric.NodeID) ([]mem.Span, error) {
	spans := make([]mem.Span, l.mapped)
	for i := range spans {
		spans[i] = mem.Span{Start: mem.GPA(i) << 21, Len: 2 << 20}
	}
	return spans, nil
}

func (l *lab) Evict(_ fabric.NodeID, b []mem.Span) (uint64, error) {
	l.history = append(l.history, fmt.Sprintf("evict %v", b))
	if l.inert {
		return 0, nil
	}
	return uint64(len(b)) * 512, nil
}

func (l *lab) Miss(_ fabric.NodeID, m faults.Misses) (faults.Overlay, error) {
	if l.inert {
		m.Rate = 0
	}
	o := &overlay{lab: l, stack: l.stack(1 << 20), laid: l.stack(1 << 20).Lay(fabric.Layer{Loss: m.Rate, Key: m.Key})}
	return o, nil
}

// traffic passes n packets over every direction that something lies on, and n look-ups.
func (l *lab) traffic(n int) {
	for _, s := range l.stacks {
		for i := range n {
			s.Fold(uint64(i))
		}
	}
}

func (l *lab) clean() bool {
	for _, s := range l.stacks {
		if !s.Empty() {
			return false
		}
	}
	return true
}

type overlay struct {
	lab   *lab
	stack *fabric.Stack
	laid  *fabric.Laid
}

func (o *overlay) Counters() (fabric.Counters, error) {
	if o.lab.fail == "counters" {
		panic("defect")
	}
	return o.laid.Counters, nil
}
func (o *overlay) Standing() (bool, error) { return o.stack.Standing(o.laid), nil }
func (o *overlay) Remove() error {
	o.lab.history = append(o.lab.history, fmt.Sprintf("remove %d", o.laid.Fault))
	switch {
	case o.lab.fail == "remove" && o.laid.Fault == 0:
		return errors.New("busy")
	case o.lab.fail == "stuck" && o.laid.Fault == 0:
		return nil
	}
	o.stack.Remove(o.laid)
	return nil
}

// log is an undo log that writes into the lab's history.
type log struct {
	lab    *lab
	refuse bool
	open   int
}

func (u *log) Record(op, identity string, _ any) (func() error, error) {
	if u.refuse {
		return nil, errors.New("disk full")
	}
	u.open++
	u.lab.history = append(u.lab.history, "record "+identity)
	return func() error {
		u.open--
		u.lab.history = append(u.lab.history, "done "+identity)
		return nil
	}, nil
}

const ms = units.Duration(1e6)

func fault(name, kind string, at, length units.Duration, dirs ...fabric.Dir) plan.Fault {
	k, ok := faults.Lookup(kind)
	if !ok {
		panic(kind)
	}
	f := plan.Fault{Name: name, Kind: kind, At: at, For: length, Key: seed.Derive(7, name), Params: k.New()}
	if k.Aim == faults.AtDevice {
		f.Targets = []plan.Target{{Name: "host1/dev0", Host: 1}}
	} else if len(dirs) == 0 {
		dirs = []fabric.Dir{0}
	}
	for _, d := range dirs {
		f.Targets = append(f.Targets, plan.Target{Name: fmt.Sprintf("dir%d", d), Dir: d})
	}
	switch p := f.Params.(type) {
	case *faults.LinkLoss:
		p.P = 0.1
	case *faults.LinkCorrupt:
		p.P = 0.1
	}
	return f
}

func executor(t *testing.T, s faults.Surfaces, opt inject.Options, fs ...plan.Fault) *inject.Executor {
	t.Helper()
	e, err := inject.New(&plan.Plan{Faults: fs}, s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
