//go:build linux

package impair_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/impair"
	"github.com/stellarlab/stellarlab/internal/seed"
)

// packets is how many a test of draws sends.
const packets = 12_000

func identity(p *pair, i int) (uint64, uint32) {
	k := p.packet(i)
	return fabric.Identity(k.Src, k.DestQP, k.Path, k.PathSeq), k.PathSeq
}

func lay(t testing.TB, d *impair.Direction, l fabric.Layer) *impair.Overlay {
	t.Helper()
	o, err := d.Lay(l)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func counters(t testing.TB, o *impair.Overlay) fabric.Counters {
	t.Helper()
	c, err := o.Counters()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func totals(t testing.TB, d *impair.Direction) impair.Totals {
	t.Helper()
	c, err := d.Totals()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDrawsAreTheSimulators sends packets through the kernel and wants, packet by packet, what fabric.Draw says.
func TestDrawsAreTheSimulators(t *testing.T) {
	p := newPair(t)
	d := p.attach()
	key := seed.Derive(42, "loss")
	o := lay(t, d, fabric.Layer{Loss: 0.1, Key: key})
	got := p.burst(0, packets)
	var dropped uint64
	for i := range packets {
		id, seq := identity(p, i)
		hit := fabric.Draw(key, id, 0.1)
		if hit {
			dropped++
		}
		if got.whole[seq] == hit {
			t.Fatalf("packet %d: arrived %v, fabric.Draw says dropped %v", i, got.whole[seq], hit)
		}
	}
	if dropped == 0 || got.spoilt > 0 {
		t.Fatalf("%d dropped, %d spoilt", dropped, got.spoilt)
	}
	if c, want := counters(t, o), (fabric.Counters{Seen: packets, Matched: dropped}); c != want {
		t.Errorf("counters %+v, want %+v", c, want)
	}
	c := totals(t, d)
	if c.Packets != packets || c.Loss != dropped || c.Delivered != packets-dropped || c.Blackhole+c.Corrupted+c.Failed > 0 {
		t.Errorf("totals %+v with %d dropped of %d", c, dropped, packets)
	}
}

func TestProbabilityZeroAndOne(t *testing.T) {
	p := newPair(t)
	d := p.attach()
	key := seed.Derive(1, "edge")
	for _, c := range []struct {
		name  string
		layer fabric.Layer
		want  fabric.Counters
		whole int
	}{
		{"nothing", fabric.Layer{Key: key}, fabric.Counters{Seen: 1000}, 1000},
		{"loss 1", fabric.Layer{Key: key, Loss: 1}, fabric.Counters{Seen: 1000, Matched: 1000}, 0},
		{"blackhole", fabric.Layer{Key: key, Blackhole: true}, fabric.Counters{Seen: 1000, Matched: 1000}, 0},
	} {
		o := lay(t, d, c.layer)
		if got := p.burst(0, 1000); len(got.whole) != c.whole || got.spoilt > 0 {
			t.Errorf("%s: %d arrived, %d spoilt, want %d", c.name, len(got.whole), got.spoilt, c.whole)
		}
		if n := counters(t, o); n != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, n, c.want)
		}
		if err := o.Remove(); err != nil {
			t.Fatal(err)
		}
		if got := p.burst(0, 100); len(got.whole) != 100 {
			t.Errorf("%s removed: %d of 100 arrived", c.name, len(got.whole))
		}
		if n := counters(t, o); n != c.want {
			t.Errorf("%s removed: %+v, want it final at %+v", c.name, n, c.want)
		}
	}
	if c := totals(t, d); c.Blackhole != 1000 || c.Loss != 1000 || c.Packets != 3300 || c.Delivered != 1300 {
		t.Errorf("totals %+v", c)
	}
}

// TestCorruptionIsCaught wants every corrupted packet refused by the ICRC, and no other.
func TestCorruptionIsCaught(t *testing.T) {
	p := newPair(t)
	d := p.attach()
	all := lay(t, d, fabric.Layer{Corrupt: 1, Key: 3})
	if got := p.burst(0, packets); got.spoilt != packets {
		t.Errorf("%d of %d corrupted packets were refused", got.spoilt, packets)
	}
	if c, want := counters(t, all), (fabric.Counters{Seen: packets, Matched: packets}); c != want {
		t.Errorf("counters %+v, want %+v", c, want)
	}
	if err := all.Remove(); err != nil {
		t.Fatal(err)
	}
	lay(t, d, fabric.Layer{Corrupt: 0.05, Key: 4})
	got := p.burst(0, packets)
	spoilt := 0
	for i := range packets {
		id, seq := identity(p, i)
		hit := fabric.Draw(4, id, 0.05)
		if hit {
			spoilt++
		}
		if got.whole[seq] == hit {
			t.Fatalf("packet %d: whole %v, fabric.Draw says corrupted %v", i, got.whole[seq], hit)
		}
	}
	if got.spoilt != spoilt || spoilt == 0 {
		t.Errorf("%d refused, want %d", got.spoilt, spoilt)
	}
	if c := totals(t, d); c.Corrupted != uint64(packets+spoilt) || c.Delivered != 2*packets || c.Failed != 0 {
		t.Errorf("totals %+v", c)
	}
}

// TestLayersAreRemovedInEitherOrder lays two losses and takes either away first: the draws of the one that
// stays do not move, and credit goes to the first that was laid.
func TestLayersAreRemovedInEitherOrder(t *testing.T) {
	p := newPair(t)
	d := p.attach()
	layers := []fabric.Layer{{Loss: 0.3, Key: 11}, {Loss: 0.3, Key: 12}}
	for first := range layers {
		over := []*impair.Overlay{lay(t, d, layers[0]), lay(t, d, layers[1])}
		check := func(step string, active ...int) {
			before := [2]fabric.Counters{counters(t, over[0]), counters(t, over[1])}
			got := p.burst(0, 2000)
			want := before
			for i := range 2000 {
				id, seq := identity(p, i)
				hit := false
				for _, a := range active {
					want[a].Seen++
					switch {
					case !fabric.Draw(layers[a].Key, id, layers[a].Loss):
					case hit:
						want[a].Masked++
					default:
						hit = true
						want[a].Matched++
					}
				}
				if got.whole[seq] == hit {
					t.Fatalf("%s: packet %d arrived %v, want %v", step, i, got.whole[seq], !hit)
				}
			}
			if now := [2]fabric.Counters{counters(t, over[0]), counters(t, over[1])}; now != want {
				t.Errorf("%s: counters %+v, want %+v", step, now, want)
			}
		}
		check("both", 0, 1)
		if err := errors.Join(over[first].Remove(), over[first].Remove()); err != nil {
			t.Fatal(err)
		}
		check("one", 1-first)
		if err := over[1-first].Remove(); err != nil {
			t.Fatal(err)
		}
		check("none")
	}
}

// TestCreditGoesByInjection fills the slots in turn, so that a later layer sits in an earlier slot, and
// wants credit for the one that was laid first all the same.
func TestCreditGoesByInjection(t *testing.T) {
	p := newPair(t)
	d := p.attach()
	var fill []*impair.Overlay
	for i := range impair.Slots {
		fill = append(fill, lay(t, d, fabric.Layer{Fault: int32(i)}))
	}
	if _, err := d.Lay(fabric.Layer{}); !errors.Is(err, impair.ErrFull) {
		t.Errorf("layer %d: %v, want %v", impair.Slots+1, err, impair.ErrFull)
	}
	last := impair.Slots - 1
	if err := errors.Join(fill[0].Remove(), fill[last].Remove()); err != nil {
		t.Fatal(err)
	}
	// Turn goes on behind the last slot: the first of these two lands in slot 0, the second in the last one;
	// then slot 0 is freed and filled by the youngest.
	other := lay(t, d, fabric.Layer{})
	old := lay(t, d, fabric.Layer{Blackhole: true})
	if err := other.Remove(); err != nil {
		t.Fatal(err)
	}
	young := lay(t, d, fabric.Layer{Loss: 1})
	if got := p.burst(0, 10); len(got.whole) != 0 {
		t.Errorf("%d packets came through a black hole", len(got.whole))
	}
	if c, want := counters(t, old), (fabric.Counters{Seen: 10, Matched: 10}); c != want {
		t.Errorf("older layer %+v, want %+v", c, want)
	}
	if c, want := counters(t, young), (fabric.Counters{Seen: 10, Masked: 10}); c != want {
		t.Errorf("younger layer %+v, want %+v", c, want)
	}
	if c := totals(t, d); c.Blackhole != 10 || c.Loss != 0 {
		t.Errorf("totals %+v", c)
	}
}

func TestStandingReadsTheKernelBack(t *testing.T) {
	p := newPair(t)
	d := p.attach()
	o := lay(t, d, fabric.Layer{Loss: 0.5, Key: 1})
	stands := func(o *impair.Overlay, want bool) {
		t.Helper()
		if ok, err := o.Standing(); ok != want || err != nil {
			t.Errorf("standing %v, %v, want %v", ok, err, want)
		}
	}
	stands(o, true)
	if err := o.Remove(); err != nil {
		t.Fatal(err)
	}
	stands(o, false)
	o = lay(t, d, fabric.Layer{Loss: 0.5, Key: 1})
	if err := impair.Tamper(d); err != nil {
		t.Fatal(err)
	}
	stands(o, false)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	stands(o, false)
	if err := errors.Join(o.Remove(), d.Close()); err != nil {
		t.Errorf("after close: %v", err)
	}
	if _, err := d.Lay(fabric.Layer{}); !errors.Is(err, impair.ErrClosed) {
		t.Errorf("lay after close: %v, want %v", err, impair.ErrClosed)
	}
}

func TestDownIsRefused(t *testing.T) {
	p := newPair(t)
	if _, err := p.attach().Lay(fabric.Layer{Down: true}); !errors.Is(err, impair.ErrUnsupported) {
		t.Errorf("%v, want %v", err, impair.ErrUnsupported)
	}
}

// TestOthersPass lays a black hole and sends what is not RoCEv2, and what is of an opcode that no layer can
// name by path: the one passes, the other does not.
func TestOthersPass(t *testing.T) {
	p := newPair(t)
	d := p.attach()
	o := lay(t, d, fabric.Layer{Blackhole: true})
	plain := p.packet(1).Append(nil)
	binary.BigEndian.PutUint16(plain[22:], 4792)
	p.send(plain)
	fragment := p.packet(2).Append(nil)
	fragment[6] |= 0x20
	fragment[6] &^= 0x40
	p.send(fragment)
	send := p.packet(4).Append(nil)
	send[28] = 0x04 // RC SEND Only
	p.send(send)
	short := send[:20+8+12]
	binary.BigEndian.PutUint16(short[2:], uint16(len(short)))
	p.send(short)
	p.until(func(c impair.Totals) bool { return c.Packets+c.Blackhole >= 4 && c.Other >= 2 })
	c := totals(t, d)
	if c.Other < 2 || c.Packets != 2 || c.Blackhole != 2 || c.Delivered != 0 {
		t.Errorf("totals %+v, want 2 RoCEv2 packets in the black hole and the others passed", c)
	}
	if n := counters(t, o); n.Seen != 2 || n.Matched != 2 {
		t.Errorf("counters %+v, want 2", n)
	}
}

func TestCounterCountsWhatLeaves(t *testing.T) {
	p := newPair(t)
	p.attach()
	var c *impair.Counter
	if err := p.within(0, func() (err error) { c, err = impair.AttachCounter(p.index[0]); return err }); err != nil {
		t.Fatal(err)
	}
	lay(t, p.dir, fabric.Layer{Loss: 0.5, Key: 8})
	p.burst(0, 500)
	s, err := c.Sent()
	if err != nil {
		t.Fatal(err)
	}
	if d := totals(t, p.dir); s.Packets != 500 || s.Packets != d.Packets || s.Bytes != d.Bytes || d.Delivered+d.Loss != 500 {
		t.Errorf("sent %+v, direction %+v", s, d)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
