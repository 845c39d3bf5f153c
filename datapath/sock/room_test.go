//go:build linux

package sock_test

import (
	"runtime"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/sock"
)

func TestRoomIsGivenBack(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	a := sock.Room(before + 10)
	b := sock.Room(5)
	if n := runtime.GOMAXPROCS(0); n < before+15 {
		t.Errorf("%d processors for %d loops", n, before+15)
	}
	a()
	a()
	if n := runtime.GOMAXPROCS(0); n < max(before, 5) {
		t.Errorf("%d processors for 5 loops", n)
	}
	b()
	if n := runtime.GOMAXPROCS(0); n != before {
		t.Errorf("%d processors after all was given back, want %d", n, before)
	}
}
