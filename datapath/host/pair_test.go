package host_test

import (
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"pgregory.net/rapid"
)

const guest = 8 << 20

// ram is the memory of one host, guest and bus in one: frames lie where the guest has them.
type ram struct {
	bytes  [guest]byte
	absent map[mem.GPA]bool // 2 MiB blocks whose pages went untold
}

func (m *ram) gone(s mem.Segment) bool { return m.absent[mem.GPA(s.HPA)&^(2<<20-1)] }

func (m *ram) Read(_ vtime.Time, segs []mem.Segment, p *mem.Payload) error {
	var b []byte
	for _, s := range segs {
		if m.gone(s) {
			return host.ErrAbsent
		}
		b = append(b, m.bytes[s.HPA:][:s.Len]...)
	}
	*p = mem.Payload{Len: uint32(len(b)), Bytes: b}
	return nil
}

func (m *ram) Write(_ vtime.Time, segs []mem.Segment, p *mem.Payload) error {
	for _, s := range segs {
		if m.gone(s) {
			return host.ErrAbsent
		}
	}
	b := p.AppendTo(nil)
	for _, s := range segs {
		b = b[copy(m.bytes[s.HPA:][:s.Len], b):]
	}
	return nil
}

func (m *ram) Fill(at mem.GPA, n, tag uint64) error { mem.Fill(m.bytes[at:][:n], tag, 0); return nil }
func (m *ram) Check(at mem.GPA, n, tag uint64) (uint64, mem.GPA, error) {
	if i := mem.Mismatch(m.bytes[at:][:n], tag, 0); i >= 0 {
		return 1, at + mem.GPA(i), nil
	}
	return 0, 0, nil
}

// pair is two devices back to back, in time of their own.
type pair struct {
	t        *testing.T
	now      vtime.Time
	dev      [2]*host.Device
	ram      [2]*ram
	mute     bool // pins are not answered
	pins     int
	fetches  int
	verified int
	status   map[engine.Status]int
}

func (p *pair) Emit(e *event.Event) {
	if e.Kind == event.Completed {
		p.status[engine.Status(e.B)]++
	}
}

// Verify implements host.Verifier.
func (p *pair) Verify(_ vtime.Time, f *host.Flow, _ *host.Endpoint, _ *engine.WC, at mem.GPA, tag uint64) {
	if bad, first, _ := p.ram[1].Check(at, uint64(f.Size), tag); bad != 0 {
		p.t.Errorf("wrong byte at %#x", first)
	}
	p.verified++
}

func newPair(t *testing.T, retries int, f host.Flow, spoil func(*host.Endpoint)) *pair {
	t.Helper()
	p := &pair{t: t, status: map[engine.Status]int{}}
	for i := range p.dev {
		p.ram[i] = &ram{absent: map[mem.GPA]bool{}}
		d, err := host.New(host.Config{
			Node: int32(i), Addr: uint32(i + 1), Run: 1, Seed: uint64(i + 1), MTU: 4096, Paths: 4, Policy: "oblivious",
			RTO: 250 * time.Microsecond, Retries: retries, Window: 1 << 20, AckEvery: 4096,
			Congestion: host.Congestion{BaseRTT: 10 * time.Microsecond, TargetDelay: 10 * time.Microsecond},
			Memory:     host.Memory{Guest: guest, Pin: host.OnDemand, Block: 2 << 20, PD: 1},
		}, p.ram[i], p.ram[i], p)
		if err != nil {
			t.Fatal(err)
		}
		p.dev[i] = d
	}
	var ends [2]host.Endpoint
	for i := range p.dev {
		var err error
		if ends[i], err = p.dev[i].Open(&f, i == 0, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if spoil != nil {
		spoil(&ends[1])
	}
	for i := range p.dev {
		if err := p.dev[i].Connect(0, &f, i == 0, ends[i], ends[1-i]); err != nil {
			t.Fatal(err)
		}
	}
	p.dev[0].Start(0, p)
	return p
}

// run lets the devices go on until all is done or limit has come, and says which.
func (p *pair) run(limit vtime.Time) bool {
	for p.now < limit && !p.dev[0].Idle() {
		for i, d := range p.dev {
			d.Tick(p.now)
			p.serve(d)
			var pk wire.Packet
			for n := 0; n < 64 && d.Next(p.now, &pk); n++ {
				p.dev[1-i].Receive(p.now, &pk)
				p.serve(p.dev[1-i])
			}
			p.serve(d)
		}
		p.now = p.now.Add(time.Microsecond)
	}
	return p.dev[0].Idle()
}

func (p *pair) serve(d *host.Device) {
	for r, ok := d.Request(p.now); ok; r, ok = d.Request(p.now) {
		switch r.Kind {
		case host.Pin:
			p.pins++
			if p.mute {
				continue
			}
			for _, m := range p.ram {
				delete(m.absent, r.Block.Start)
			}
			d.Answer(p.now, host.Answer{Ticket: r.Ticket, HPA: mem.HPA(r.Block.Start)})
		case host.Fetch:
			p.fetches++
			d.Answer(p.now, host.Answer{Ticket: r.Ticket})
		}
	}
}

const second = vtime.Time(time.Second)

var flow = host.Flow{From: 0, To: 1, Size: 64 << 10, Depth: 4, Count: 32, Cold: true}

// TestWritesLand: absent pages are asked for, answered, and every message is where it belongs.
func TestWritesLand(t *testing.T) {
	p := newPair(t, 7, flow, nil)
	if !p.run(second) || p.verified != 32 || p.status[engine.Success] != 32 || p.pins == 0 {
		t.Fatalf("%d verified, %d pins, %v", p.verified, p.pins, p.status)
	}
}

// TestProtectionIsRefused: a wrong key ends in REM_ACCESS_ERR, and not a byte is written.
func TestProtectionIsRefused(t *testing.T) {
	p := newPair(t, 7, flow, func(e *host.Endpoint) { e.Key++ })
	if !p.run(second) || p.status[engine.RemAccessErr] != 1 || p.status[engine.Success] != 0 || p.ram[1].bytes != [guest]byte{} {
		t.Fatalf("%v", p.status)
	}
}

// TestEvictionUnderTraffic: blocks go while messages are in flight, told and untold; nothing is lost.
func TestEvictionUnderTraffic(t *testing.T) {
	f := flow
	f.Rate = 1e9
	p := newPair(t, 7, f, nil)
	for i := 1; i < 40 && !p.run(vtime.Time(i)*vtime.Time(300*time.Microsecond)); i++ {
		for j, d := range p.dev {
			if i%2 == 0 {
				d.Evict(p.now, d.Mapped())
			} else {
				p.ram[j].absent[0], p.ram[j].absent[2<<20] = true, true
			}
		}
	}
	if !p.run(second) || p.verified != 32 || p.pins < 10 {
		t.Fatalf("%d verified, %d pins, %v", p.verified, p.pins, p.status)
	}
}

// TestMissStormIsCounted: each look-up misses, all of them are counted, and the messages arrive all the same.
func TestMissStormIsCounted(t *testing.T) {
	p := newPair(t, 7, flow, nil)
	id := p.dev[1].Lay(host.MissStorm{Rate: 1, Cost: time.Microsecond})
	if !p.run(second) || p.verified != 32 {
		t.Fatalf("%d verified, %v", p.verified, p.status)
	}
	c, standing := p.dev[1].Storm(id)
	if !standing || c.Matched != uint64(p.fetches) || c.Matched < 32*16 {
		t.Fatalf("standing %v, %+v, %d fetches", standing, c, p.fetches)
	}
	p.dev[1].Lift(id)
	if _, standing := p.dev[1].Storm(id); standing {
		t.Fatal("still standing")
	}
}

// TestRetriesZeroIsNone: a peer that never answers costs one timeout without retries, and more with.
func TestRetriesZeroIsNone(t *testing.T) {
	var took [2]vtime.Time
	for i, retries := range []int{0, 3} {
		f := flow
		f.Cold = false
		p := newPair(t, retries, f, func(e *host.Endpoint) { e.Generation++ })
		if !p.run(second) || p.status[engine.RetryExcErr] != 1 {
			t.Fatalf("%d retries: %v", retries, p.status)
		}
		took[i] = p.now
	}
	if took[0]*2 > took[1] {
		t.Fatalf("none took %v, three %v", took[0], took[1])
	}
}

// TestUnansweredMemoryDoesNotComplete: a request that the driver never answers leaves the device busy and says how
// many are out; no completion is made up. It is the progress oracle that ends such a run.
func TestUnansweredMemoryDoesNotComplete(t *testing.T) {
	p := newPair(t, 1, flow, nil)
	p.mute = true
	if p.run(second/100) || p.status[engine.Success] != 0 || p.dev[0].Pinning() == 0 {
		t.Fatalf("%v, %d pinning", p.status, p.dev[0].Pinning())
	}
}

// TestLayoutHasNoOverlaps: no two buffers of a host share a page.
func TestLayoutHasNoOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) host.Flow {
			return host.Flow{
				From: rapid.Int32Range(0, 3).Draw(t, "from"), To: rapid.Int32Range(0, 3).Draw(t, "to"),
				Size: rapid.Uint32Range(0, 1<<20).Draw(t, "size"), Depth: rapid.Uint32Range(0, 8).Draw(t, "depth"),
			}
		}), 1, 12).Draw(t, "flows")
		source, target := host.Layout(flows)
		taken := map[int32][]mem.Span{}
		for i := range flows {
			for _, b := range []struct {
				host int32
				at   mem.GPA
			}{{flows[i].From, source[i]}, {flows[i].To, target[i]}} {
				s := mem.Span{Start: b.at, Len: flows[i].Buffer() + 1} // with the byte behind it
				for _, o := range taken[b.host] {
					if s.Overlaps(o) {
						t.Fatalf("host %d: %v and %v", b.host, s, o)
					}
				}
				taken[b.host] = append(taken[b.host], s)
			}
		}
	})
}
