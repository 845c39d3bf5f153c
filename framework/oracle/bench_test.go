package oracle_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/internal/event"
)

// BenchmarkJudge feeds the judge the events of a write of 256 packets: what one packet costs with all invariants
// on. Method: 128 hosts, one flow each, packets taken from the flows in turn, so that caches are as cold as in
// a simulated permutation.
func BenchmarkJudge(b *testing.B) {
	const hosts, packets, mtu = 128, 256, 4096
	var gb fabric.Builder
	for i := range hosts {
		gb.Add("host"+string(rune('a'+i/26))+string(rune('a'+i%26)), fabric.TierHost, 0)
	}
	leaf := gb.Add("leaf0", fabric.TierLeaf, 0)
	var flows []host.Flow
	for i := range hosts {
		gb.Connect(fabric.NodeID(i), leaf, fabric.Profile{})
		flows = append(flows, host.Flow{Index: int32(i), From: int32(i), To: int32((i + 1) % hosts), Size: packets * mtu, Depth: 1})
	}
	g, err := gb.Build()
	if err != nil {
		b.Fatal(err)
	}
	_, target := host.Layout(flows)
	j := oracle.New(oracle.Config{Graph: g, Flows: flows, Devices: make([]host.Config, hosts)})
	for i := range flows {
		j.Emit(&event.Event{Kind: event.FlowStart, Node: int32(i), QP: uint32(1000 + i), A: uint64(i)})
	}
	b.ReportAllocs()
	b.ResetTimer()
	var e event.Event
	for n, msn := 0, uint64(0); n < b.N; msn++ {
		for i := range flows {
			e = event.Event{Kind: event.Posted, Node: int32(i), QP: uint32(1000 + i), A: msn, B: msn, C: packets * mtu, D: uint64(target[i])}
			j.Emit(&e)
		}
		for p := range uint64(packets) {
			for i := range flows {
				e = event.Event{Kind: event.Sent, Node: int32(i), QP: uint32(1000 + i), C: mtu}
				j.Emit(&e)
				e = event.Event{Kind: event.Received, Node: flows[i].To, QP: 7, C: mtu}
				j.Emit(&e)
				e = event.Event{Kind: event.Placed, Node: flows[i].To, A: uint64(target[i]) + p*mtu, B: mtu}
				j.Emit(&e)
				n++
			}
		}
		for i := range flows {
			e = event.Event{Kind: event.Completed, Node: int32(i), QP: uint32(1000 + i), A: msn, C: packets * mtu, D: msn}
			j.Emit(&e)
		}
	}
	for _, r := range j.Finish(oracle.End{Observation: &framework.Observation{}}) {
		if r.Name != "integrity" && r.Name != "ledger" && r.Total > 0 {
			b.Fatal(r.Name, r.Violations[0].What)
		}
	}
}
