package expect

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// MeterConfig is what a meter must know beforehand.
type MeterConfig struct {
	Flows     []host.Flow
	Hosts     int
	Workloads []string      // names, by the number in host.Flow
	Sample    time.Duration // of goodput
	Paths     int           // of the devices; bounds the path table
	Faults    int           // occurrences in the plan
}

// Meter is an event.Sink that measures one run. It belongs to one caller, and allocates only as lab time and
// the number of flows grow.
type Meter struct {
	cfg     MeterConfig
	targets *oracle.Targets
	queues  *oracle.Queues
	flows   []meteredFlow
	posted  []vtime.Time // by slot: when its message was posted
	out     Measurement
	series  []series // by workload
	resent  series   // retransmissions of all workloads
	pending int      // faults struck and not detected
}

type meteredFlow struct {
	host.Flow
	start vtime.Time
}

// NewMeter returns a meter for one run.
func NewMeter(cfg MeterConfig) *Meter {
	m := &Meter{
		cfg:     cfg,
		targets: oracle.NewTargets(cfg.Flows, cfg.Hosts),
		queues:  oracle.NewQueues(len(cfg.Flows)),
		flows:   make([]meteredFlow, len(cfg.Flows)),
		series:  make([]series, len(cfg.Workloads)),
		resent:  series{width: cfg.Sample / binsPerSample},
	}
	m.posted = make([]vtime.Time, m.targets.Slots())
	m.out.Faults = make([]Fault, cfg.Faults)
	for i := range m.out.Faults {
		m.out.Faults[i] = Fault{Strike: vtime.Never, Heal: vtime.Never, Detected: vtime.Never}
	}
	for i, name := range cfg.Workloads {
		m.series[i].width = cfg.Sample / binsPerSample
		m.out.Workloads = append(m.out.Workloads, Workload{
			Name: name, Paths: make([]PathUse, max(cfg.Paths, 1)),
			Loaded: Window{From: 0, To: vtime.Never}, Finished: vtime.Never,
			latency: hdrhistogram.New(1, int64(time.Hour), 3),
		})
	}
	for i, f := range cfg.Flows {
		m.flows[i].Flow = f
		w := &m.out.Workloads[f.Workload]
		w.Flows++
		w.byMessage = w.byMessage || f.Count == 0
		w.Loaded.From = max(w.Loaded.From, vtime.Time(f.Start))
		if f.For > 0 {
			w.Loaded.To = min(w.Loaded.To, vtime.Time(f.Start+f.For))
		}
	}
	return m
}

// Emit implements event.Sink.
func (m *Meter) Emit(e *event.Event) {
	switch e.Kind {
	case event.Placed:
		if i := m.targets.Slot(e.Node, mem.GPA(e.A)); i >= 0 {
			m.series[m.flows[m.targets.Flow(i)].Workload].add(e.At, e.B)
		}
	case event.Sent:
		if wire.Opcode(e.D) != wire.Acknowledge {
			m.sent(e)
		}
	case event.Posted:
		m.post(e)
	case event.Completed:
		m.complete(e)
	case event.PathLost:
		if w := m.workload(e); w != nil && e.A < uint64(len(w.Paths)) {
			w.Paths[e.A].Lost++
		}
		m.detect(e)
	case event.PathOut, event.Timeout, event.Nak:
		m.detect(e)
	case event.FlowStart:
		if e.A < uint64(len(m.flows)) {
			m.queues.Set(e.Node, e.QP, int32(e.A))
			f := &m.flows[e.A]
			f.start = e.At
			m.out.Workloads[f.Workload].started++
		}
	case event.FlowDone:
		m.flowDone(e)
	case event.FaultStrike, event.FaultHeal:
		m.fault(e)
	}
}

func (m *Meter) workload(e *event.Event) *Workload {
	if i := m.queues.Flow(e.Node, e.QP); i >= 0 {
		return &m.out.Workloads[m.flows[i].Workload]
	}
	return nil
}

func (m *Meter) sent(e *event.Event) {
	w := m.workload(e)
	if w == nil {
		return
	}
	w.Packets++
	again := e.B&event.SentRetransmit != 0
	if path := e.B >> 32; path < uint64(len(w.Paths)) {
		p := &w.Paths[path]
		p.Packets++
		p.Bytes += e.C
		if again {
			p.Retransmits++
		}
	} else {
		w.StrayPaths++
	}
	if again {
		w.Retransmits++
		m.resent.add(e.At, 1)
		m.detect(e)
	}
}

func (m *Meter) post(e *event.Event) {
	i := m.queues.Flow(e.Node, e.QP)
	if i < 0 {
		return
	}
	f := &m.flows[i]
	w := &m.out.Workloads[f.Workload]
	if w.Posted == 0 {
		w.Began = e.At
	}
	w.Posted++
	m.posted[m.targets.Of(i, e.B)] = e.At
}

func (m *Meter) complete(e *event.Event) {
	i := m.queues.Flow(e.Node, e.QP)
	if i < 0 {
		return
	}
	f := &m.flows[i]
	w := &m.out.Workloads[f.Workload]
	w.Statuses[e.B%uint64(len(w.Statuses))]++
	msn := e.D
	if engine.Status(e.B) != engine.Success {
		return
	}
	w.Operations++
	w.Bytes += e.C
	took := int64(e.At - m.posted[m.targets.Of(i, msn)])
	_ = w.latency.RecordValue(max(took, 1)) // out of range means longer than an hour of lab time
	w.longest = max(w.longest, took)
}

func (m *Meter) flowDone(e *event.Event) {
	if e.A >= uint64(len(m.flows)) {
		return
	}
	f := &m.flows[e.A]
	w := &m.out.Workloads[f.Workload]
	w.done++
	w.Ended = max(w.Ended, e.At)
	w.GivenUp += e.C
	if e.C > 0 {
		return // a broken flow keeps its share of the load: what it no longer carries is missing
	}
	w.Loaded.To = min(w.Loaded.To, e.At)
	if !w.byMessage {
		w.flowTimes = append(w.flowTimes, int64(e.At-f.start))
	}
}

func (m *Meter) fault(e *event.Event) {
	if e.A >= uint64(len(m.out.Faults)) {
		return
	}
	f := &m.out.Faults[e.A]
	if e.Kind == event.FaultHeal {
		f.Heal = e.At
		return
	}
	f.Strike = e.At
	m.pending++
}

// detect credits the first sign of trouble to every fault that struck and has not been noticed.
func (m *Meter) detect(e *event.Event) {
	if m.pending == 0 {
		return
	}
	for i := range m.out.Faults {
		f := &m.out.Faults[i]
		if f.Strike <= e.At && f.Detected == vtime.Never {
			f.Detected = e.At
			m.pending--
		}
	}
}

// Finish returns what was measured, when the run has ended. It is called once.
func (m *Meter) Finish(ended vtime.Time) *Measurement {
	m.resent.flush()
	m.out.Ended = ended
	m.out.Sample = m.cfg.Sample
	m.out.Resent = Series{Bin: m.resent.width, Bytes: m.resent.bins}
	for i := range m.out.Workloads {
		w := &m.out.Workloads[i]
		m.series[i].flush()
		w.Goodput = Series{Bin: m.series[i].width, Bytes: m.series[i].bins}
		w.Loaded.To = min(w.Loaded.To, ended)
		if w.done == w.Flows && w.started == w.Flows {
			w.Finished = w.Ended
		}
	}
	return &m.out
}
