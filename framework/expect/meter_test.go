package expect_test

import (
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// metered runs events through a meter over one flow of 8 KiB messages from host 0 to host 1.
func metered(f host.Flow, ended vtime.Time, events ...event.Event) *expect.Measurement {
	f.To, f.Size, f.Depth = 1, 8192, 2
	m := expect.NewMeter(expect.MeterConfig{
		Flows: []host.Flow{f}, Hosts: 2, Workloads: []string{"bulk"}, Sample: sample, Paths: 4, Faults: 1,
	})
	for i := range events {
		m.Emit(&events[i])
	}
	return m.Finish(ended)
}

// base is the target of the first flow of a host.
const base = 1 << 20

func TestMeterCountsWhatArrivesInTheBinWhereItArrives(t *testing.T) {
	m := metered(host.Flow{For: time.Millisecond}, ms,
		event.Event{At: 5 * us, Kind: event.Placed, Node: 1, A: base, B: 4096},
		event.Event{At: 9 * us, Kind: event.Placed, Node: 1, A: base + 4096, B: 4096},
		event.Event{At: 10 * us, Kind: event.Placed, Node: 1, A: base + 8192, B: 4096},
		event.Event{At: 9 * us, Kind: event.Placed, Node: 1, A: base + 8192, B: 100}, // a little late
		event.Event{At: 200 * us, Kind: event.Placed, Node: 1, A: base + 8192, B: 1},
		event.Event{At: 300 * us, Kind: event.Placed, Node: 1, A: base - 1, B: 1}, // not this flow's
		event.Event{At: 300 * us, Kind: event.Placed, Node: 0, A: base, B: 1},     // nor on this host
	)
	got := m.Workload("bulk").Goodput.Bytes
	if len(got) != 21 || got[0] != 8292 || got[1] != 4096 || got[20] != 1 {
		t.Errorf("bins %v", got)
	}
}

func TestMeterFollowsMessagesPathsAndFaults(t *testing.T) {
	data, ack := uint64(wire.WriteOnly), uint64(wire.Acknowledge)
	m := metered(host.Flow{Count: 2}, ms,
		event.Event{At: 1, Kind: event.FlowStart, QP: 9},
		event.Event{At: 10, Kind: event.Posted, QP: 9, A: 0, B: 0},
		event.Event{At: 20, Kind: event.Posted, QP: 9, A: 1, B: 1},
		event.Event{At: 30, Kind: event.Sent, QP: 9, B: 0 << 32, C: 4096, D: data},
		event.Event{At: 31, Kind: event.Sent, QP: 9, B: 3 << 32, C: 4096, D: data},
		event.Event{At: 31, Kind: event.Sent, Node: 1, QP: 9, B: 3 << 32, D: ack},
		event.Event{At: 32, Kind: event.Sent, QP: 9, B: 9 << 32, C: 4096, D: data},
		event.Event{At: 33, Kind: event.Sent, QP: 9, B: 1<<32 | event.SentRetransmit, C: 4096, D: data},
		event.Event{At: 40, Kind: event.FaultStrike, A: 0},
		event.Event{At: 60, Kind: event.PathLost, QP: 9, A: 3},
		event.Event{At: 70, Kind: event.Sent, QP: 9, B: 2<<32 | event.SentRetransmit, C: 4096, D: data},
		event.Event{At: 80, Kind: event.FaultHeal, A: 0},
		event.Event{At: 110, Kind: event.Completed, QP: 9, A: 0, C: 8192, D: 0},
		event.Event{At: 220, Kind: event.Completed, QP: 9, A: 1, B: 12, D: 1},
		event.Event{At: 221, Kind: event.FlowDone, QP: 9, B: 8192, C: 1},
	)
	w := m.Workload("bulk")
	if w.Packets != 5 || w.Retransmits != 2 || w.StrayPaths != 1 || w.Paths[3].Packets != 1 || w.Paths[3].Lost != 1 || w.Paths[1].Retransmits != 1 {
		t.Errorf("packets %d, sent again %d, stray %d, paths %+v", w.Packets, w.Retransmits, w.StrayPaths, w.Paths)
	}
	if f := m.Faults[0]; f != (expect.Fault{Strike: 40, Heal: 80, Detected: 60}) {
		t.Errorf("fault %+v", f)
	}
	if w.Operations != 1 || w.Failures() != 1 || w.Statuses[12] != 1 || w.Bytes != 8192 || w.Began != 10 || w.Finished != 221 {
		t.Errorf("workload %+v", w)
	}
	if d, ok := w.Latency(1); !ok || d != 100 {
		t.Errorf("latency %v %v", d, ok)
	}
	if w.Loaded.To != ms {
		t.Errorf("a broken flow ends the load at %v: what it no longer carries would not be missed", w.Loaded.To)
	}
	if _, ok := w.Completion(); ok {
		t.Error("a broken flow has a completion time")
	}
}

func TestMeterKnowsWhenTheLoadIsWhole(t *testing.T) {
	m := metered(host.Flow{Count: 1, Start: 100}, ms,
		event.Event{At: 100, Kind: event.FlowStart, QP: 9},
		event.Event{At: 100, Kind: event.Posted, QP: 9},
		event.Event{At: 900, Kind: event.Completed, QP: 9, C: 8192},
		event.Event{At: 900, Kind: event.FlowDone, QP: 9, B: 8192},
	)
	w := m.Workload("bulk")
	if w.Loaded != (expect.Window{From: 100, To: 900}) {
		t.Errorf("loaded %+v", w.Loaded)
	}
	if c, ok := w.Completion(); !ok || c != (expect.Completion{Count: 1, Mean: 800, P50: 800, P99: 800, Max: 800}) {
		t.Errorf("completion %+v %v", c, ok)
	}
	m = metered(host.Flow{For: 500}, ms)
	if w := m.Workload("bulk"); w.Loaded != (expect.Window{From: 0, To: 500}) || w.Finished != vtime.Never {
		t.Errorf("bounded by time: loaded %+v, finished %v", w.Loaded, w.Finished)
	}
}
