package workload

import (
	"errors"
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/units"
)

// Permutation is every host writing to one other and being written to by one other, the pairing drawn from the
// seed.
type Permutation struct {
	Size   units.Size     `yaml:"size" doc:"bytes per message"`
	Count  uint64         `yaml:"count,omitempty" doc:"messages per host; give one of count and time"`
	Time   units.Duration `yaml:"time,omitempty" doc:"messages are posted for this long"`
	Depth  int            `yaml:"depth" default:"1" doc:"work requests outstanding per host"`
	Rate   units.Rate     `yaml:"rate,omitempty" default:"as fast as possible" doc:"offered per host"`
	Common `yaml:",inline"`
}

var permutationKind = Kind{
	Name:    "permutation",
	Does:    "every host writes to one other host and is written to by one other; the pairing comes from the seed",
	Example: "permutation: {size: 2MiB, count: 4}",
	New:     func() Params { return &Permutation{Depth: 1} },
}

// Validate implements Params.
func (p *Permutation) Validate() error {
	w := Write{
		From: Hosts{All}, To: Hosts{All}, Size: p.Size, Depth: p.Depth, Count: p.Count, Time: p.Time, QPs: 1, Rate: p.Rate,
		Common: p.Common,
	}
	return w.Validate()
}

// Flows implements Params.
func (p *Permutation) Flows(c Context) ([]host.Flow, error) {
	n := c.Graph.Hosts()
	if n < 2 {
		return nil, errors.New("a permutation needs two hosts or more")
	}
	// Sattolo's algorithm gives one cycle over all: nobody writes to itself.
	r := c.Key.Rand()
	to := make([]int32, n)
	for i := range to {
		to[i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := r.IntN(i)
		to[i], to[j] = to[j], to[i]
	}
	flows := make([]host.Flow, n)
	for i := range flows {
		if int(to[i]) == i {
			return nil, fmt.Errorf("host%d would write to itself", i)
		}
		w := p.flow(int32(i), to[i])
		w.Size, w.Depth, w.Count, w.For, w.Rate = uint32(p.Size), uint32(p.Depth), p.Count, p.Time.Std(), uint64(p.Rate)
		flows[i] = w
	}
	return flows, nil
}
