//go:build linux

package impair

import (
	"github.com/stellarlab/stellarlab/datapath/fabric"
)

// Overlay is one layer that lies on a direction. It is safe for concurrent use, and fits faults.Overlay.
type Overlay struct {
	d       *Direction
	slot    int
	base    fabric.Counters // what earlier layers left in the slot
	want    slot            // as written
	removed bool            // guarded by d.mu
	last    fabric.Counters // the final count, once removed; guarded by d.mu
}

// Counters reads the evidence of the layer from the kernel; after Remove it is the final count.
func (o *Overlay) Counters() (fabric.Counters, error) {
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	if o.removed {
		return o.last, nil
	}
	return o.count()
}

// Standing reads the kernel map back and says whether the layer is in effect there, as it was asked for,
// and whether the program is still attached.
func (o *Overlay) Standing() (bool, error) {
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	if o.removed || o.d.closed {
		return false, nil
	}
	c, err := o.d.maps.read()
	if err != nil {
		return false, err
	}
	attached, err := o.d.attached()
	if err != nil {
		return false, err
	}
	return attached && c.Active > 0 && c.Slots[o.slot] == o.want, nil
}

// Remove takes the layer off. Removing twice, or after Close of the direction, is success.
func (o *Overlay) Remove() error {
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	return o.remove()
}

// remove does Remove with d.mu held.
func (o *Overlay) remove() error {
	if o.removed {
		return nil
	}
	c := o.d.config
	c.Slots[o.slot].Enabled = 0
	c.Active--
	if err := o.d.maps.write(&c); err != nil {
		return err
	}
	o.d.config = c
	o.d.laid[o.slot] = nil
	o.removed = true
	var err error
	o.last, err = o.count()
	return err
}

// count reads the slot's counters with d.mu held.
func (o *Overlay) count() (fabric.Counters, error) {
	c, err := o.d.maps.tally()
	if err != nil {
		return fabric.Counters{}, err
	}
	n := c.Layers[o.slot]
	n.Seen -= o.base.Seen
	n.Matched -= o.base.Matched
	n.Masked -= o.base.Masked
	return n, nil
}
