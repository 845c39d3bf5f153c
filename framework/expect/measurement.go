package expect

import (
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Measurement is what a Meter has measured of one run.
type Measurement struct {
	Sample    time.Duration
	Ended     vtime.Time
	Workloads []Workload
	Faults    []Fault // by occurrence
	Resent    Series  // retransmitted packets of all workloads, per bin
}

// Fault is when one fault occurrence acted; Never where it did not.
type Fault struct {
	Strike, Heal, Detected vtime.Time
}

// Workload is what was measured of one workload.
type Workload struct {
	Name       string
	Flows      int
	Goodput    Series
	Loaded     Window     // all its flows were running: after the last start, before the first end
	Began      vtime.Time // the first post
	Ended      vtime.Time // the last end of a flow so far
	Finished   vtime.Time // the last end of a flow; Never while one has not ended
	Posted     uint64     // messages
	Operations uint64     // messages that completed with success
	Bytes      uint64     // of Operations
	GivenUp    uint64     // messages that failed or could not be posted, as the application counts them
	Statuses   [32]uint64 // completions by ibverbs status
	Packets    uint64     // data packets sent, each transmission
	Retransmits,
	StrayPaths uint64 // packets on paths that the device does not have
	Paths []PathUse

	byMessage     bool // completion is of messages, not of flows
	started, done int
	longest       int64
	latency       *hdrhistogram.Histogram
	flowTimes     []int64 // nanoseconds
}

// PathUse is what one path carried.
type PathUse struct {
	Packets, Bytes, Retransmits, Lost uint64
}

// Failures is the number of messages that did not complete with success, as completions tell, or as the
// application tells where it could not even post.
func (w *Workload) Failures() uint64 {
	var n uint64
	for status, c := range w.Statuses {
		if status != 0 {
			n += c
		}
	}
	return max(n, w.GivenUp)
}

// Latency returns a quantile in [0,1] of the time from post to completion; ok is false if nothing completed.
func (w *Workload) Latency(q float64) (d time.Duration, ok bool) {
	if w.Operations == 0 {
		return 0, false
	}
	if q >= 1 {
		return time.Duration(w.longest), true
	}
	return time.Duration(min(w.latency.ValueAtQuantile(100*q), w.longest)), true
}

// Completion is the time that whole flows took, or messages where a workload is bounded by time: from the start
// to the sender's last acknowledgement.
type Completion struct {
	Count               uint64
	Mean, P50, P99, Max time.Duration
}

// Completion summarises the completion times; ok is false if nothing completed.
func (w *Workload) Completion() (c Completion, ok bool) {
	if w.byMessage {
		if w.Operations == 0 {
			return c, false
		}
		p50, _ := w.Latency(0.5)
		p99, _ := w.Latency(0.99)
		return Completion{w.Operations, time.Duration(w.latency.Mean()), p50, p99, time.Duration(w.longest)}, true
	}
	if len(w.flowTimes) == 0 {
		return c, false
	}
	t := slices.Sorted(slices.Values(w.flowTimes))
	var sum int64
	for _, v := range t {
		sum += v
	}
	n := len(t)
	at := func(q float64) time.Duration { return time.Duration(t[min(n-1, int(q*float64(n)))]) }
	return Completion{uint64(n), time.Duration(sum / int64(n)), at(0.5), at(0.99), time.Duration(t[n-1])}, true
}

// Workload returns the measurements of the workload called name, or nil.
func (m *Measurement) Workload(name string) *Workload {
	for i := range m.Workloads {
		if m.Workloads[i].Name == name {
			return &m.Workloads[i]
		}
	}
	return nil
}
