//go:build linux

package nslab_test

import (
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/framework/nslab"
)

// BenchmarkLab builds a lab of 4 hosts, 2 leaves and 4 spines and takes it down, and looks that nothing is left: up and
// down in milliseconds. Of up, 200 ms are the measurement of the machine's lateness.
func BenchmarkLab(b *testing.B) {
	g := needs(b)
	dir := b.TempDir()
	var up, down time.Duration
	for range b.N {
		start := time.Now()
		lab, err := nslab.Build(b.Context(), spec(g, dir))
		if err != nil {
			b.Fatal(err)
		}
		built := time.Now()
		if err := lab.Close(); err != nil {
			b.Fatal(err)
		}
		up += built.Sub(start)
		down += time.Since(built)
		nothing(b, dir)
	}
	b.ReportMetric(float64(up.Milliseconds())/float64(b.N), "ms-up")
	b.ReportMetric(float64(down.Milliseconds())/float64(b.N), "ms-down")
}
