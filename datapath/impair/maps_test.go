//go:build linux

package impair_test

import (
	"slices"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/impair"
)

func TestProgramAndGoAgreeOnTheMaps(t *testing.T) {
	if assumed, real := impair.Layout(); !slices.Equal(assumed, real) {
		t.Errorf("the program assumes %v, Go has %v", assumed, real)
	}
}
