package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/mem"
)

func TestARefusalDoesNotOvertakeEarlierMessages(t *testing.T) {
	for _, relaxed := range []bool{false, true} {
		p := open(t, engine.Config{Relaxed: relaxed})
		once := true
		p.plan = func(to int, k *wire.Packet) []time.Duration {
			if to == 1 && k.MSN == 0 && once {
				once = false
				return nil // the first message is missing when the refused one arrives
			}
			return []time.Duration{hop}
		}
		p.must(t, 1, 0, mtu)
		if err := p.post(2, 4096, memory, mtu); err != nil { // outside the peer's memory
			t.Fatal(err)
		}
		p.must(t, 3, 8192, mtu)
		p.finish(t, engine.Success, engine.RemAccessErr, engine.WRFlushErr)
		if !p.written(0, mtu) || p.written(8192, mtu) {
			t.Errorf("relaxed %v: the refused message did not part those before from those behind", relaxed)
		}
		for i, n := range p.ends {
			if info, _ := n.Info(n.qpn); info.State != engine.Err {
				t.Errorf("end %d is in %v", i, info.State)
			}
		}
	}
}

func TestALostRefusalIsRepeated(t *testing.T) {
	p := open(t, engine.Config{})
	lost := 3
	p.plan = func(to int, _ *wire.Packet) []time.Duration {
		if to == 0 && lost > 0 {
			lost--
			return nil
		}
		return []time.Duration{hop}
	}
	p.ends[1].mem.denied = map[mem.VA]bool{0: true}
	p.must(t, 1, 0, 10)
	p.finish(t, engine.RemOpErr)
}

func TestMemoryThatFailsFailsTheWorkRequest(t *testing.T) {
	for side, want := range []engine.Status{engine.LocProtErr, engine.RemOpErr} {
		p := open(t, engine.Config{})
		p.ends[side].mem.absent = map[mem.VA]uint64{0: 9}
		p.must(t, 1, 0, 10)
		p.must(t, 2, 4096, 10)
		for range 10 {
			p.step()
		}
		if len(p.wcs) != 0 {
			t.Fatalf("completed before memory answered: %+v", p.wcs)
		}
		p.ends[side].MemReady(p.now, 9, false)
		p.finish(t, want, engine.WRFlushErr)
	}
}

func TestSlowMemoryAtThePeerIsNotAFailure(t *testing.T) {
	p := open(t, engine.Config{})
	p.ends[1].mem.absent = map[mem.VA]uint64{0: 9}
	p.must(t, 1, 0, 3*mtu)
	for p.now < 100_000_000 && len(p.wcs) == 0 { // far beyond the retry budget
		p.step()
	}
	delete(p.ends[1].mem.absent, 0)
	p.ends[1].MemReady(p.now, 9, true)
	p.finish(t, engine.Success)
	if !p.written(0, 3*mtu) {
		t.Error("not written")
	}
}

func TestRetriesAreCountedAndRunOut(t *testing.T) {
	for retries, want := range map[int]int{-1: 0, 3: 3, 7: 7} {
		p := open(t, engine.Config{Retries: retries})
		p.plan = func(int, *wire.Packet) []time.Duration { return nil }
		p.must(t, 1, 0, 10)
		p.must(t, 2, 0, 10)
		p.finish(t, engine.RetryExcErr, engine.WRFlushErr)
		if got := p.ends[0].count.resent; got != 2*want {
			t.Errorf("Retries %d: %d packets were sent again, want %d of each of 2", retries, got, want)
		}
	}
}

// A poller that sees the last byte of a message sees the rest; nothing of the next message comes before.
func TestStrictAndRelaxedVisibility(t *testing.T) {
	for _, relaxed := range []bool{false, true} {
		p := open(t, engine.Config{Relaxed: relaxed})
		p.plan = func(_ int, k *wire.Packet) []time.Duration {
			return []time.Duration{hop + time.Duration(100-10*k.MSN-k.Offset/mtu)*time.Microsecond} // latest first
		}
		p.must(t, 1, 0, 3*mtu)
		p.must(t, 2, 3*mtu, 2*mtu)
		p.finish(t, engine.Success, engine.Success)
		got := p.ends[1].mem.placed
		want := []mem.VA{1 * mtu, 0, 2 * mtu, 3 * mtu, 4 * mtu}
		if relaxed {
			want = []mem.VA{4 * mtu, 3 * mtu, 2 * mtu, 1 * mtu, 0}
		}
		for i := range want {
			if len(got) != len(want) || got[i] != want[i] {
				t.Fatalf("relaxed %v: placed %v, want %v", relaxed, got, want)
			}
		}
	}
}

func TestPostAndModifyOutsideTheirStates(t *testing.T) {
	e, err := engine.New(engine.Config{}, &ram{}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	qpn, _, err := e.CreateQP(engine.QPConfig{Paths: &paths{n: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var wrong *engine.StateError
	for _, s := range []engine.State{engine.Init, engine.RTR, engine.RTS} {
		if err := e.Post(0, qpn, engine.WR{}); !errors.As(err, &wrong) {
			t.Errorf("post before %v: %v", s, err)
		}
		for _, skip := range []engine.State{engine.RTR, engine.RTS} {
			if skip > s {
				if err := e.Modify(0, qpn, engine.Attr{State: skip, PeerQP: 2}); !errors.As(err, &wrong) {
					t.Errorf("to %v before %v: %v", skip, s, err)
				}
			}
		}
		if err := e.Modify(0, qpn, engine.Attr{State: s, PeerQP: 2}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Modify(0, 99, engine.Attr{}); !errors.Is(err, engine.ErrUnknownQP) {
		t.Errorf("unknown number: %v", err)
	}
}
