//go:build linux

package impair_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/datapath/impair"
)

func TestProbe(t *testing.T) {
	if err := impair.Probe(); err != nil {
		t.Skipf("needs root and eBPF: %v", err)
	}
}
