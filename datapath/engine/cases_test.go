package engine_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
)

const (
	mtu    = 1024
	memory = 1 << 20
)

// open returns a connected pair; the source is filled.
func open(t *testing.T, cfg engine.Config) *pair {
	t.Helper()
	cfg.MTU = mtu
	p, err := newPair(cfg, 1<<24-3, memory)
	if err != nil {
		t.Fatal(err)
	}
	mem.Fill(p.ends[0].mem.bytes, 1, 0)
	return p
}

// must posts a write at equal addresses.
func (p *pair) must(t *testing.T, id uint64, at mem.VA, n uint32) {
	t.Helper()
	if err := p.post(id, at, at, n); err != nil {
		t.Fatal(err)
	}
}

// finish runs to n completions, then to rest, and compares their status.
func (p *pair) finish(t *testing.T, want ...engine.Status) {
	t.Helper()
	if err := p.run(len(want)); err != nil {
		t.Fatal(err)
	}
	for p.step() {
	}
	if len(p.wcs) != len(want) {
		t.Fatalf("%d completions, want %d", len(p.wcs), len(want))
	}
	for i, w := range want {
		if p.wcs[i].Status != w || p.wcs[i].ID != uint64(i+1) {
			t.Errorf("completion %d: %+v, want id %d with %v", i, p.wcs[i], i+1, w)
		}
	}
}

// written says that n bytes at an address arrived.
func (p *pair) written(at mem.VA, n uint32) bool {
	end := uint64(at) + uint64(n)
	return bytes.Equal(p.ends[0].mem.bytes[at:end], p.ends[1].mem.bytes[at:end])
}

func TestA09MTUBoundary(t *testing.T) {
	for n, packets := range map[uint32]int{0: 1, 1: 1, mtu - 1: 1, mtu: 1, mtu + 1: 2, 2 * mtu: 2, 2*mtu + 1: 3} {
		p := open(t, engine.Config{})
		p.must(t, 1, 77, n)
		p.finish(t, engine.Success)
		if !p.written(77, n) || p.ends[0].count.sent != packets {
			t.Errorf("%d bytes: %d packets, want %d", n, p.ends[0].count.sent, packets)
		}
	}
}

func TestA23BytesInFlightReturnToZero(t *testing.T) {
	p := open(t, engine.Config{SendQueue: 16})
	p.ends[0].paths.window = 4 * mtu
	drop := 0
	p.plan = func(int, *wire.Packet) []time.Duration {
		if drop++; drop%5 == 0 {
			return nil
		}
		return []time.Duration{hop}
	}
	for i := range uint64(17) {
		err := p.post(i+1, mem.VA(i*5000), mem.VA(i*5000), 5000)
		if full := errors.Is(err, engine.ErrFull); full != (i == 16) {
			t.Fatalf("post %d: %v", i+1, err)
		}
	}
	if err := p.run(1); err != nil {
		t.Fatal(err)
	}
	p.must(t, 17, 16*5000, 5000)
	want := make([]engine.Status, 17)
	p.finish(t, want...)
	info, _ := p.ends[0].Info(p.ends[0].qpn)
	if info.InFlight != 0 || info.Outstanding != 0 || !p.written(0, 17*5000) {
		t.Errorf("at the end: %+v", info)
	}
}

func TestA24SkewBetweenPathsIsNotLoss(t *testing.T) {
	for _, losses := range []int{0, 1} {
		p := open(t, engine.Config{})
		p.ends[0].paths.n = 32
		left := losses
		p.plan = func(to int, k *wire.Packet) []time.Duration {
			if to == 1 && left > 0 && k.Offset == 20*mtu {
				left--
				return nil
			}
			if to == 0 {
				return []time.Duration{hop}
			}
			return []time.Duration{hop + time.Duration(k.Path)*200*time.Microsecond/31}
		}
		p.must(t, 1, 0, 200*mtu)
		p.finish(t, engine.Success)
		if p.ends[0].count.resent != losses {
			t.Errorf("%d losses, %d retransmissions", losses, p.ends[0].count.resent)
		}
	}
}

func TestA28BeyondTheReceiveBufferIsDroppedNotFatal(t *testing.T) {
	p := open(t, engine.Config{})
	var first wire.Packet
	p.must(t, 1, 0, mtu)
	if !p.ends[0].Next(p.now, &first) {
		t.Fatal("nothing to send")
	}
	early := first
	early.PSN = (first.PSN + 16<<20/mtu) & (1<<24 - 1)
	p.ends[1].Receive(p.now, &early)
	if p.ends[1].count.rejected[event.RejectWindow] != 1 {
		t.Errorf("rejected: %v", p.ends[1].count.rejected)
	}
	p.ends[1].Receive(p.now, &first)
	p.finish(t, engine.Success)
}

func TestA30StartPSNHas24Bits(t *testing.T) {
	e, err := engine.New(engine.Config{}, &ram{}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.CreateQP(engine.QPConfig{Paths: &paths{n: 1}, StartPSN: 1 << 24}); !errors.Is(err, engine.ErrAttr) {
		t.Errorf("StartPSN 1<<24: %v", err)
	}
	qpn, _, err := e.CreateQP(engine.QPConfig{Paths: &paths{n: 1}, StartPSN: 1<<24 - 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Modify(0, qpn, engine.Attr{State: engine.Init}); err != nil {
		t.Fatal(err)
	}
	if err := e.Modify(0, qpn, engine.Attr{State: engine.RTR, PeerQP: 2, PeerPSN: 1 << 24}); !errors.Is(err, engine.ErrAttr) {
		t.Errorf("PeerPSN 1<<24: %v", err)
	}
}

func TestA32LatePacketOfThePredecessorIsRefused(t *testing.T) {
	p := open(t, engine.Config{})
	p.must(t, 1, 0, mtu)
	var late wire.Packet
	if !p.ends[0].Next(p.now, &late) {
		t.Fatal("nothing to send")
	}
	n := p.ends[1]
	if err := n.Destroy(p.now, n.qpn); err != nil {
		t.Fatal(err)
	}
	old := n.qpn
	var err error
	if n.qpn, n.gen, err = n.CreateQP(engine.QPConfig{PD: 1, Paths: n.paths, StartPSN: n.psn}); err != nil || n.qpn != old {
		t.Fatalf("number %d, want %d again: %v", n.qpn, old, err)
	}
	if err := p.connect(1); err != nil {
		t.Fatal(err)
	}
	n.Receive(p.now, &late)
	if n.count.rejected[event.RejectStranger] != 1 || len(n.mem.placed) != 0 {
		t.Errorf("rejected %v, placed %v", n.count.rejected, n.mem.placed)
	}
}

func TestA37EveryWorkRequestIsFlushed(t *testing.T) {
	p := open(t, engine.Config{})
	want := make([]engine.Status, 33)
	for i := range want {
		want[i] = engine.WRFlushErr
	}
	for i := range uint64(32) {
		p.must(t, i+1, 0, 2*mtu)
	}
	p.pump()
	if err := p.ends[0].Modify(p.now, p.ends[0].qpn, engine.Attr{State: engine.Err}); err != nil {
		t.Fatal(err)
	}
	p.must(t, 33, 0, 1) // in ERR: flushed as well
	p.finish(t, want...)
	if err := p.ends[0].Destroy(p.now, p.ends[0].qpn); err != nil {
		t.Fatal(err)
	}
}

func TestA50ABrokenPathIsLeft(t *testing.T) {
	p := open(t, engine.Config{})
	p.ends[0].paths.n = 2
	p.plan = func(_ int, k *wire.Packet) []time.Duration {
		if k.Path == 1 {
			return nil
		}
		return []time.Duration{hop}
	}
	p.must(t, 1, 0, 20*mtu)
	p.finish(t, engine.Success)
	if !p.written(0, 20*mtu) || p.now.Sub(0) > 2*time.Millisecond {
		t.Errorf("done at %v", p.now)
	}
}
