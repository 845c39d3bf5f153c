package run

import (
	"math"
	"slices"
	"time"

	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/internal/event"
)

// observe records the measurements.
func (x *execution) observe(t *take) {
	v := &x.verdict
	v.LabSeconds = t.observed.Ended.Sub(0).Seconds()
	v.Settled = t.observed.Settled
	v.JitterNanos = int64(t.observed.Jitter)
	v.Journal = report.Journal{Digest: t.digest, Events: t.events}
	if x.dir != "" {
		v.Journal.File = journalFile
	}
	var paths []expect.PathUse
	for i := range t.measured.Workloads {
		w := &t.measured.Workloads[i]
		v.Workloads = append(v.Workloads, workload(w))
		for n, p := range w.Paths {
			if n >= len(paths) {
				paths = append(paths, expect.PathUse{})
			}
			paths[n].Packets += p.Packets
			paths[n].Bytes += p.Bytes
			paths[n].Retransmits += p.Retransmits
			paths[n].Lost += p.Lost
		}
	}
	for n, p := range paths {
		v.Paths = append(v.Paths, report.Path{ID: n, Packets: p.Packets, Bytes: p.Bytes, Retransmits: p.Retransmits, Lost: p.Lost})
	}
	v.Ledger = report.Ledger{Dropped: map[string]uint64{}, Balanced: true}
	for i := range t.observed.Ports {
		p := port(x.resolved.Graph.DirName(t.observed.Ports[i].Dir), &t.observed.Ports[i])
		v.Ports = append(v.Ports, p)
		sum(&v.Ledger, &p.Ledger)
	}
}

func workload(w *expect.Workload) report.Workload {
	out := report.Workload{
		Name: w.Name, Operations: w.Operations, Bytes: w.Bytes, Failures: w.Failures(),
		Packets: w.Packets, Retransmits: w.Retransmits,
	}
	if samples := w.Goodput.Samples(w.Loaded); len(samples) > 0 {
		mean, _ := w.Goodput.Rate(w.Loaded)
		slices.Sort(samples)
		at := func(q float64) float64 { return samples[min(len(samples)-1, int(math.Floor(q*float64(len(samples)))))] }
		out.Goodput = &report.Goodput{Mean: mean, P01: at(0.01), P50: at(0.5)}
	}
	if _, ok := w.Latency(1); ok {
		at := func(q float64) int64 { d, _ := w.Latency(q); return int64(d) }
		out.Latency = &report.Latency{P50: at(0.5), P99: at(0.99), P999: at(0.999), Max: at(1)}
	}
	if c, ok := w.Completion(); ok {
		us := func(d time.Duration) float64 { return float64(d) / 1000 }
		out.Completion = &report.Completion{Count: c.Count, Mean: us(c.Mean), P50: us(c.P50), P99: us(c.P99), Max: us(c.Max)}
	}
	return out
}

func port(name string, p *framework.Port) report.Port {
	l := report.Ledger{
		Sent: p.Sent, Delivered: p.Delivered, Duplicated: p.Duplicated, Corrupted: p.Corrupted, InFlight: p.InFlight,
		Dropped: map[string]uint64{},
	}
	var dropped uint64
	for c, n := range p.Dropped {
		if n > 0 {
			l.Dropped[report.Cause(event.DropCause(c))] += n
			dropped += n
		}
	}
	l.Balanced = p.Sent+p.Duplicated == p.Delivered+dropped+p.InFlight
	return report.Port{Name: name, Ledger: l, Bytes: p.Bytes}
}

// sum adds a direction to the total.
func sum(total, p *report.Ledger) {
	total.Sent += p.Sent
	total.Delivered += p.Delivered
	total.Duplicated += p.Duplicated
	total.Corrupted += p.Corrupted
	total.InFlight += p.InFlight
	total.Balanced = total.Balanced && p.Balanced
	for c, n := range p.Dropped {
		total.Dropped[c] += n
	}
}

// effects records what each fault did to the workloads.
func (x *execution) effects(e *expect.Evidence) {
	var marks []expect.Marker
	for _, p := range x.resolved.Expected {
		if m, ok := p.Params.(expect.Marker); ok {
			marks = append(marks, m)
		}
	}
	for i := range x.verdict.Faults {
		f := e.Effect(i, marks)
		if f == nil {
			continue
		}
		out := &report.Effect{GoodputFloor: f.Floor, Relapses: f.Relapses, Retransmits: &f.Retransmits}
		if f.DetectedAfter != nil {
			out.DetectedAfter = ptr(int64(*f.DetectedAfter))
		}
		if f.RecoveredAfter != nil {
			out.RecoveredAfter = ptr(int64(*f.RecoveredAfter))
		}
		x.verdict.Faults[i].Effect = out
	}
}
