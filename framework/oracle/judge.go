package oracle

import (
	"strings"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Config is what a judge must know beforehand.
type Config struct {
	Graph   *fabric.Graph
	Flows   []host.Flow
	Devices []host.Config // one per host: ordering, RTO and retries

	// Slack is added to every retry budget: how late timers of the lab may be.
	Slack vtime.Time
	// Faults names the occurrences of the plan, by index.
	Faults []string
	// Cuts lists, per occurrence of the plan, the link directions that let nothing through while it is active.
	Cuts [][]fabric.Dir
}

// End is what is known when a run has ended, beside its events.
type End struct {
	*framework.Observation
	Checked uint64 // messages that the Checker compared
}

// Judge is an event.Sink that watches all invariants of one run. It belongs to one caller. It allocates nothing
// per event, and its state is bounded by what may be outstanding.
type Judge struct {
	cfg     Config
	targets *Targets
	queues  *Queues
	flows   []flow
	slots   []slot
	claims  []claim
	names   []string
	table   [event.Kinds][]func(*step)
	step    step
	active  []bool // by fault occurrence
	history []change
}

// change is an instant at which a fault struck or healed.
type change struct {
	at    vtime.Time
	fault int32
	on    bool
}

// New returns a judge for one run.
func New(cfg Config) *Judge {
	j := &Judge{
		cfg:     cfg,
		targets: NewTargets(cfg.Flows, cfg.Graph.Hosts()),
		queues:  NewQueues(len(cfg.Flows)),
		flows:   make([]flow, len(cfg.Flows)),
		active:  make([]bool, len(cfg.Faults)),
	}
	for i := range cfg.Flows {
		f := &cfg.Flows[i]
		j.flows[i] = flow{
			Flow: *f, index: int32(i), relaxed: cfg.Devices[f.To].Relaxed,
			limit: 2*int64(Budget(cfg.Devices[f.From].RTO, cfg.Devices[f.From].Retries)) + int64(cfg.Slack),
		}
	}
	j.slots = make([]slot, j.targets.Slots())
	for i := range j.slots {
		j.slots[i] = slot{flow: j.targets.Flow(int32(i)), at: j.targets.At(int32(i))}
	}
	j.step.active = j.activeFaults
	for _, i := range Catalogue() {
		if i.build == nil {
			continue
		}
		c := i.build(j)
		j.claims = append(j.claims, c)
		j.names = append(j.names, i.Name)
		for _, h := range c.on() {
			j.table[h.kind] = append(j.table[h.kind], h.see)
		}
	}
	return j
}

// Emit implements event.Sink.
func (j *Judge) Emit(e *event.Event) {
	switch e.Kind {
	case event.Placed:
		j.placed(e)
	case event.Posted:
		j.posted(e)
	case event.Completed:
		j.completed(e)
	case event.Verified, event.BadAccess, event.Fetched,
		event.NeedMem, event.MemReady, event.MemFailed, event.NeedEntry, event.EntryReady:
		j.see(e, nil, nil, e.A)
	case event.FlowStart:
		if e.A < uint64(len(j.flows)) && e.Node == j.flows[e.A].From {
			j.flows[e.A].known = true
			j.queues.Set(e.Node, e.QP, int32(e.A))
		}
	case event.FaultStrike:
		j.change(e, true)
	case event.FaultHeal:
		j.change(e, false)
	}
}

// see shows the event to every claim that asked for its kind.
func (j *Judge) see(e *event.Event, f *flow, s *slot, message uint64) {
	st := &j.step
	st.at, st.ev, st.flow, st.slot, st.message = e.At, e, f, s, message
	for _, h := range j.table[e.Kind] {
		h(st)
	}
}

func (j *Judge) placed(e *event.Event) {
	i := j.targets.Slot(e.Node, mem.GPA(e.A))
	if i < 0 {
		j.see(e, nil, nil, 0)
		return
	}
	s := &j.slots[i]
	f := &j.flows[s.flow]
	j.see(e, f, s, s.msn)
	s.placed += e.B
	s.sum += indices(e.A-uint64(s.at), e.B)
	f.moved = e.At
	if s.placed >= uint64(s.size) {
		j.settle(f)
	}
}

func (j *Judge) posted(e *event.Event) {
	i := j.queues.Flow(e.Node, e.QP)
	if i < 0 {
		j.see(e, nil, nil, e.B)
		return
	}
	f := &j.flows[i]
	s := &j.slots[j.targets.Of(i, e.B)]
	j.see(e, f, s, e.B)
	if !f.begun {
		f.begun, f.posted, f.oldest, f.whole = true, e.B, e.B, e.B
	}
	if f.outstanding() == 0 {
		f.moved = e.At
	}
	f.posted = e.B + 1
	s.life, s.msn, s.wr, s.size, s.placed, s.sum = waiting, e.B, e.A, uint32(e.C), 0, 0
	j.settle(f)
}

func (j *Judge) completed(e *event.Event) {
	i := j.queues.Flow(e.Node, e.QP)
	if i < 0 {
		j.see(e, nil, nil, e.D)
		return
	}
	f := &j.flows[i]
	if f.outstanding() == 0 {
		j.see(e, f, nil, e.D)
		return
	}
	s := &j.slots[j.targets.Of(i, f.oldest)]
	j.see(e, f, s, s.msn)
	f.oldest++
	f.moved = e.At
	s.life = done
	if engine.Status(e.B) != engine.Success {
		s.life = failed
		f.failed++
		return
	}
	f.good++
}

// settle moves the mark of what is whole in memory.
func (j *Judge) settle(f *flow) {
	for f.whole < f.posted {
		s := &j.slots[j.targets.Of(f.index, f.whole)]
		if s.msn == f.whole && s.placed < uint64(s.size) {
			return
		}
		f.whole++
	}
}

func (j *Judge) change(e *event.Event, on bool) {
	if e.A >= uint64(len(j.active)) {
		return
	}
	j.active[e.A] = on
	j.history = append(j.history, change{e.At, int32(e.A), on})
}

// activeFaults names the faults that are active now.
func (j *Judge) activeFaults() string {
	var names []string
	for i, on := range j.active {
		if on {
			names = append(names, j.cfg.Faults[i])
		}
	}
	return strings.Join(names, ", ")
}

// Finish looks at the end of the run and returns the result of every invariant but residue, in the catalogue's
// order. It is called once, after the last event.
func (j *Judge) Finish(end End) []Result {
	var out []Result
	for i, c := range j.claims {
		j.step = step{at: end.Ended, active: j.activeFaults}
		c.finish(&j.step, &end)
		t := c.result()
		out = append(out, Result{
			Name: j.names[i], Checked: t.checked, Violations: t.violations, Total: t.total, Open: t.open,
		})
	}
	return out
}
