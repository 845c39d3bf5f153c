//go:build linux

package sock_test

import (
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/sock"
)

func TestJitterStopsAndSaysWhatItSaw(t *testing.T) {
	j := sock.StartJitter()
	l := j.Stop()
	if again := j.Stop(); again != l {
		t.Errorf("stopped twice: %+v, then %+v", l, again)
	}
	if l.P50 > l.P99 || l.P99 > l.Max || l.P50 < 0 {
		t.Errorf("%+v is not a distribution", l)
	}
}

func TestFloorIsAboveWhatWasMeasured(t *testing.T) {
	f, l := sock.Floor(2, 20*time.Millisecond)
	if f < sock.MinFloor || f < 3*l.P99-time.Millisecond || l.Samples == 0 {
		t.Errorf("floor %v of %+v", f, l)
	}
	t.Logf("floor %v of %+v", f, l)
}
