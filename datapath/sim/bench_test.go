package sim_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/sim"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// pump sends full packets to a peer and throws away what it gets: the fabric alone is measured.
type pump struct {
	node, to int
	left     uint32
}

func (p *pump) Receive(vtime.Time, *wire.Packet)                {}
func (p *pump) Reject(vtime.Time, event.RejectCause)            {}
func (p *pump) Tick(vtime.Time)                                 {}
func (p *pump) Deadline() vtime.Time                            { return vtime.Never }
func (p *pump) Request(vtime.Time) (host.Request, bool)         { return host.Request{}, false }
func (p *pump) Answer(vtime.Time, host.Answer)                  {}
func (p *pump) Evict(vtime.Time, []mem.Span) (r []host.Request) { return r }
func (p *pump) Idle() bool                                      { return p.left == 0 }
func (p *pump) Next(_ vtime.Time, out *wire.Packet) (filled bool) {
	if p.left == 0 {
		return false
	}
	p.left--
	*out = wire.Packet{
		Src: fabric.Address(fabric.NodeID(p.node)), Dst: fabric.Address(fabric.NodeID(p.to)),
		Entropy: uint16(49152 + p.left%128), ECN: 2, Opcode: wire.WriteOnly, DestQP: 17,
		Path: uint16(p.left % 128), PathSeq: p.left / 128, Payload: mem.Payload{Len: 4086},
	}
	return true
}

// BenchmarkFabric is the fabric of 128 hosts without a transport: the ceiling of the simulator.
func BenchmarkFabric(b *testing.B) {
	up := link
	up.ECN = fabric.ECN{Min: 24_900, Max: 99_600, Probability: 1}
	g := leafspine(b, 16, 8, 8, up, up)
	b.ReportAllocs()
	hops := uint64(0)
	for range b.N {
		cfg := sim.Config{Graph: g}
		for i := range g.Hosts() {
			m, err := sim.NewMemory(sim.MemoryConfig{Size: 1 << 21})
			if err != nil {
				b.Fatal(err)
			}
			cfg.Hosts = append(cfg.Hosts, sim.Host{
				Device: &pump{node: i, to: (i + 65) % 128, left: 490}, Memory: m, MTU: 4086, Data: 4150, Ack: 64,
			})
		}
		s, err := sim.New(cfg)
		if err != nil {
			b.Fatal(err)
		}
		for i := range g.Hosts() {
			s.Touch(int32(i))
		}
		s.Advance(vtime.Never, nil)
		hops += s.Hops()
	}
	b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "hops/s")
}
