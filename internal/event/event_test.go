package event_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/internal/event"
)

func TestEveryKindHasANameOfItsOwn(t *testing.T) {
	seen := map[string]event.Kind{}
	for k := range event.Kinds {
		if k.String() == "" || k != event.None && k.Holds() == "" {
			t.Errorf("kind %d is not described", k)
		}
		if other, dup := seen[k.String()]; dup {
			t.Errorf("kinds %d and %d are both called %s", k, other, k)
		}
		seen[k.String()] = k
	}
}

type counter int

func (c *counter) Emit(*event.Event) { *c++ }

func TestTeeReachesEveryMemberAndAllocatesNothing(t *testing.T) {
	var a, b counter
	tee := event.Tee{&a, &b, event.Discard{}}
	e := event.Event{Kind: event.Sent}
	if n := testing.AllocsPerRun(10, func() { tee.Emit(&e) }); n > 0 {
		t.Errorf("%v allocations per event", n)
	}
	if a != b || a == 0 {
		t.Errorf("%d and %d events", a, b)
	}
}
