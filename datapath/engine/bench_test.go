package engine_test

import (
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// nothing is memory that allows all and costs nothing.
type nothing struct{}

func (nothing) Check(*engine.Access) engine.Status { return engine.Success }
func (nothing) Read(_ vtime.Time, a *engine.Access, p *mem.Payload) engine.Grant {
	p.Len, p.Tag = a.Len, 1
	return engine.Grant{}
}
func (nothing) Write(vtime.Time, *engine.Access, *mem.Payload) engine.Grant { return engine.Grant{} }

// benchPair measures sending, receiving and acknowledging one 4 KiB packet, in messages of n packets.
func benchPair(b *testing.B, packets uint32, swap bool) {
	var ends [2]*engine.Engine
	var qpns [2]uint32
	var gens [2]uint8
	for i := range ends {
		var err error
		if ends[i], err = engine.New(engine.Config{Addr: uint32(i + 1)}, nothing{}, nil, int32(i)); err != nil {
			b.Fatal(err)
		}
		if qpns[i], gens[i], err = ends[i].CreateQP(engine.QPConfig{PD: 1, Paths: &paths{n: 128, window: 256 << 10}}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range ends {
		for _, s := range []engine.State{engine.Init, engine.RTR, engine.RTS} {
			a := engine.Attr{State: s, PeerAddr: uint32(2 - i), PeerQP: qpns[1-i], PeerGeneration: gens[1-i]}
			if err := ends[i].Modify(0, qpns[i], a); err != nil {
				b.Fatal(err)
			}
		}
	}
	now := vtime.Time(0)
	pkts := make([]wire.Packet, 64)
	var ack wire.Packet
	var wcs [16]engine.WC
	sent := 0
	b.ReportAllocs()
	for b.Loop() {
		// One iteration is one packet: refill and deliver a burst whenever the last is used up.
		if sent > 0 {
			sent--
			continue
		}
		for {
			now = now.Add(10 * time.Microsecond)
			k := 0
			for k < len(pkts) && ends[0].Next(now, &pkts[k]) {
				k++
			}
			if k == 0 {
				for range 4 {
					if err := ends[0].Post(now, qpns[0], engine.WR{Len: packets * 4096}); err != nil {
						b.Fatal(err)
					}
				}
				continue
			}
			for i := range k {
				j := i
				if swap && i^1 < k {
					j = i ^ 1
				}
				ends[1].Receive(now, &pkts[j])
			}
			for ends[1].Next(now, &ack) {
				ends[0].Receive(now, &ack)
			}
			if ends[0].Deadline() <= now {
				ends[0].Tick(now)
			}
			for ends[0].Poll(wcs[:]) > 0 {
			}
			sent = k - 1
			break
		}
	}
}

func BenchmarkPairLongMessages(b *testing.B)  { benchPair(b, 256, false) }
func BenchmarkPairOnePacket(b *testing.B)     { benchPair(b, 1, false) }
func BenchmarkPairOutOfOrder(b *testing.B)    { benchPair(b, 256, true) }
func BenchmarkPairOnePacketSwap(b *testing.B) { benchPair(b, 1, true) }
