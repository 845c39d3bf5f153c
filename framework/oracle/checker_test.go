package oracle_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/framework/oracle"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// guest answers with what a test wants to be found.
type guest struct {
	bad uint64
	err error
}

func (g guest) Fill(mem.GPA, uint64, uint64) error { return nil }

func (g guest) Check(gpa mem.GPA, _, _ uint64) (uint64, mem.GPA, error) { return g.bad, gpa + 3, g.err }

// record keeps events.
type record []event.Event

func (r *record) Emit(e *event.Event) { *r = append(*r, *e) }

func TestInletWeavesWhatEntersIntoTheEventsInOrderOfTime(t *testing.T) {
	var in oracle.Inlet
	c := oracle.NewChecker([]host.Guest{guest{}, guest{bad: 2}}, &in)
	var got record
	s := in.Into(&got)
	f := &host.Flow{From: 0, To: 1, Size: 100}
	s.Emit(&event.Event{At: 5, Kind: event.Completed})
	c.Verify(5, f, &host.Endpoint{Node: 1}, &engine.WC{QP: 9, ID: 7}, 0x1000, 1)
	s.Emit(&event.Event{At: 5, Kind: event.Posted})
	s.Emit(&event.Event{At: 6, Kind: event.Placed})
	c.Verify(8, f, &host.Endpoint{Node: 0}, &engine.WC{QP: 9, ID: 8}, 0x1000, 1)
	s.Flush()
	want := []event.Event{
		{At: 5, Kind: event.Completed},
		{At: 5, Kind: event.Posted},
		{At: 5, Kind: event.Verified, QP: 9, A: 7, B: 100, C: 2, D: 0x1003},
		{At: 6, Kind: event.Placed},
		{At: 8, Kind: event.Verified, QP: 9, A: 8, B: 100, D: 0x1003},
	}
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("event %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	if c.Messages() != 2 {
		t.Errorf("%d messages", c.Messages())
	}
}

func TestMemoryThatCannotBeReadIsNotRight(t *testing.T) {
	var got record
	c := oracle.NewChecker([]host.Guest{guest{err: errors.New("gone")}}, &got)
	for _, node := range []int32{0, 4} {
		c.Verify(1, &host.Flow{Size: 100}, &host.Endpoint{Node: node}, &engine.WC{}, 0x1000, 1)
	}
	for _, e := range got {
		if e.C != 100 {
			t.Errorf("%d bad bytes, want 100", e.C)
		}
	}
	if len(got) != 2 {
		t.Errorf("%d events", len(got))
	}
}

func TestCheckerIsSafeForConcurrentUse(t *testing.T) {
	var in oracle.Inlet
	c := oracle.NewChecker([]host.Guest{guest{}}, &in)
	var got record
	s := in.Into(&got)
	const loops, each = 4, 500
	var wg sync.WaitGroup
	for n := range loops {
		wg.Go(func() {
			for i := range each {
				c.Verify(vtime.Time(i), &host.Flow{From: int32(n), Size: 8}, &host.Endpoint{}, &engine.WC{ID: uint64(i)}, 0, 1)
			}
		})
	}
	for i := range each {
		s.Emit(&event.Event{At: vtime.Time(i), Kind: event.Placed})
	}
	wg.Wait()
	s.Flush()
	if len(got) != loops*each+each {
		t.Errorf("%d events, want %d", len(got), loops*each+each)
	}
}

func TestResidueTellsEveryPieceApart(t *testing.T) {
	if r := oracle.Residue(nil); r.Total != 0 || r.Checked == 0 {
		t.Errorf("nothing left: %+v", r)
	}
	err := errors.Join(errors.New("link stlx"), errors.Join(errors.New("namespace stly"), nil))
	if r := oracle.Residue(err); r.Total != 2 || r.Violations[1].What != "namespace stly" {
		t.Errorf("%+v", r)
	}
}
