package sim

import (
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/fabric"
)

// Overlay is a layer that lies on a direction.
type Overlay struct {
	s    *Sim
	dir  int32
	laid *fabric.Laid
}

// Lay lays a layer over a direction, now. If it takes the carrier away, that of the whole link is gone and what
// is on its way, either way, is lost.
func (s *Sim) Lay(d fabric.Dir, l fabric.Layer) (*Overlay, error) {
	if d < 0 || int(d) >= len(s.dirs) {
		return nil, fmt.Errorf("sim: link direction %d: want 0 to %d", d, len(s.dirs)-1)
	}
	o := &Overlay{s: s, dir: int32(d), laid: s.dirs[d].stack.Lay(l)}
	s.carrier(o.dir)
	return o, nil
}

// Counters is the evidence of the layer; after Remove it is the final count.
func (o *Overlay) Counters() (fabric.Counters, error) { return o.laid.Counters, nil }

// Standing says whether the layer is in effect: it lies there, and the port has carrier or not as it demands.
func (o *Overlay) Standing() (bool, error) {
	d := &o.s.dirs[o.dir]
	return d.stack.Standing(o.laid) && (!o.laid.Down || d.down), nil
}

// Remove takes the layer off, now. Removing twice is success.
func (o *Overlay) Remove() error {
	o.s.dirs[o.dir].stack.Remove(o.laid)
	o.s.carrier(o.dir)
	return nil
}
