package faults

import (
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/units"
)

// LinkLoss are the parameters of link.loss.
type LinkLoss struct {
	P units.Probability `yaml:"p" doc:"probability that a packet is lost; 0 never acts"`
}

var linkLoss = Kind{
	Name:     "link.loss",
	Models:   "random loss: dirty optics, a marginal lane",
	Sim:      "a layer at the receiving end drops each packet with probability p",
	Netns:    "the eBPF program at the receiving end's tcx ingress draws for every RoCEv2 packet, with the simulator's function",
	Evidence: "packets matched of packets seen, within the binomial bound",
	Undo:     "the layer is removed; nothing else is touched",
	Composes: "losses combine as 1-(1-p1)(1-p2); every layer draws by its own stream",
	Example:  "{name: lossy, at: 1ms, for: 20ms, link.loss: {link: leaf0-spine3, direction: leaf0-to-spine3, p: 1%}}",
	Aim:      AtLink, Rule: ByTraffic, Needs: needsLinks,
	New: func() Fault { return &LinkLoss{} },
}

// Validate implements Fault.
func (f *LinkLoss) Validate() error { return probability("p", f.P) }

// Strike implements Fault.
func (f *LinkLoss) Strike(s Surfaces, t Strike) (Active, error) {
	o, err := s.Links.Lay(t.Dir, fabric.Layer{Fault: t.Index, Loss: float64(f.P), Key: t.Key})
	if err != nil {
		return nil, err
	}
	return chance{o, float64(f.P)}, nil
}

// probability checks that a value lies in [0, 1].
func probability(field string, p units.Probability) error {
	if !(p >= 0 && p <= 1) {
		return fmt.Errorf("%s is %v: want a probability from 0 to 1", field, float64(p))
	}
	return nil
}
