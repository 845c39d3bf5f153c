package host

import (
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/emtt"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/seed"
)

// MissStorm is a level over the translation cache that misses by chance, as a value.
type MissStorm struct {
	Rate float64       // in [0,1], of look-ups
	Cost time.Duration // of the fetch
	Key  seed.Key      // stream of its draws
}

// missLevel is a MissStorm that lies over the table; each look-up draws once.
type missLevel struct {
	MissStorm
	counters fabric.Counters
}

// Lookup implements emtt.Level.
func (l *missLevel) Lookup(mem.Key, uint64) (bool, time.Duration) {
	l.counters.Seen++
	if !fabric.Draw(l.Key, l.counters.Seen, l.Rate) {
		return true, 0
	}
	l.counters.Matched++
	return false, l.Cost
}

// Lay lays a miss storm over the device's translations and returns what names it.
func (d *Device) Lay(m MissStorm) emtt.LevelID {
	l := &missLevel{MissStorm: m}
	id := d.table.Push(l)
	d.storms[id] = l
	return id
}

// Lift takes a storm off; one that is gone is no error. Its counters can still be read.
func (d *Device) Lift(id emtt.LevelID) { d.table.Remove(id) }

// Storm returns what a storm has counted, and whether it lies over the table now.
func (d *Device) Storm(id emtt.LevelID) (c fabric.Counters, standing bool) {
	if l := d.storms[id]; l != nil {
		c = l.counters
	}
	return c, d.table.Standing(id)
}
