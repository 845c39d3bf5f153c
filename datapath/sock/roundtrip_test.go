//go:build linux

package sock_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/sock"
)

func TestRoundTripsAreMeasured(t *testing.T) {
	p := newPair(t)
	a, b := sock.End{Addr: addrs[0], Within: p.within(0)}, sock.End{Addr: addrs[1], Within: p.within(1)}
	l, err := sock.RoundTrips(a, b, 100)
	if err != nil {
		t.Fatal(err)
	}
	if l.Samples != 100 || l.P50 <= 0 || l.P99 < l.P50 {
		t.Errorf("%+v is not a distribution of round trips", l)
	}
	t.Logf("%+v", l)
}

func TestRoundTripToNowhereFails(t *testing.T) {
	p := newPair(t)
	a, b := sock.End{Addr: addrs[0], Within: p.within(0)}, sock.End{Addr: netip.MustParseAddr("10.66.0.3"), Within: p.within(1)}
	if _, err := sock.RoundTrips(a, b, 1); err == nil || !strings.Contains(err.Error(), "10.66.0.3") {
		t.Errorf("%v, want the address that is not there", err)
	}
}

func TestProbe(t *testing.T) {
	if err := sock.Probe(); err != nil {
		t.Skipf("needs root: %v", err)
	}
}
