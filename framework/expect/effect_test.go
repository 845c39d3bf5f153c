package expect_test

import (
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

func TestEffectMeasuresWhatAFaultDid(t *testing.T) {
	e := evidence(dip{2 * ms, 3 * ms, 0.25}, dip{3 * ms, 4*ms + 300*us, 0.5})
	e.Run.Faults[0].Detected = 2*ms + 250*us
	e.Run.Resent = expect.Series{Bin: bin, Bytes: make([]uint64, 1000)}
	e.Run.Resent.Bytes[199], e.Run.Resent.Bytes[225], e.Run.Resent.Bytes[900] = 5, 7, 11
	m := params(t, "recovery", "{workload: bulk, after: cut, to: 90%, within: 1ms}").(expect.Marker)
	got := e.Effect(0, []expect.Marker{m})
	if *got.DetectedAfter != 250*time.Microsecond || *got.Floor != 0.25 || *got.Relapses != 0 || got.Retransmits != 7 {
		t.Errorf("detected %v, floor %v, relapses %v, sent again %d", *got.DetectedAfter, *got.Floor, *got.Relapses, got.Retransmits)
	}
	if d := *got.RecoveredAfter; d < 270*time.Microsecond || d > 300*time.Microsecond {
		t.Errorf("recovered after %v", d)
	}
}

func TestEffectLeavesOutWhatWasNotMeasured(t *testing.T) {
	e := evidence()
	e.Baseline = nil
	if got := e.Effect(0, nil); got.DetectedAfter != nil || got.Floor != nil || got.RecoveredAfter != nil || got.Relapses != nil {
		t.Errorf("%+v", got)
	}
	e.Run.Faults[0].Strike = vtime.Never
	if got := e.Effect(0, nil); got != nil {
		t.Errorf("a fault that never struck: %+v", got)
	}
	e = evidence(dip{2 * ms, 10 * ms, 0})
	if got := e.Effect(0, nil); got.RecoveredAfter != nil || *got.Floor != 0 {
		t.Errorf("never back: %+v", got)
	}
}
