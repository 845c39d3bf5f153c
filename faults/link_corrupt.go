package faults

import (
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/units"
)

// LinkCorrupt are the parameters of link.corrupt.
type LinkCorrupt struct {
	P units.Probability `yaml:"p" doc:"probability that a bit of a packet, behind its UDP header, flips; 0 never acts"`
}

var linkCorrupt = Kind{
	Name:     "link.corrupt",
	Models:   "bit errors that the link's own check does not catch",
	Sim:      "the packet is encoded, one bit behind the UDP header flips, and the receiver decodes what is left",
	Netns:    "the eBPF program at the receiving end's tcx ingress alters one byte of the packet",
	Evidence: "packets altered; the receiver's ICRC must reject each of them",
	Undo:     "the layer is removed; nothing else is touched",
	Composes: "a packet that an earlier layer drops or alters counts as masked",
	Example:  "{name: bits, at: 1ms, for: 20ms, link.corrupt: {link: leaf0-spine3, direction: both, p: 0.1%}}",
	Aim:      AtLink, Rule: ByTraffic, Needs: needsLinks,
	New: func() Fault { return &LinkCorrupt{} },
}

// Validate implements Fault.
func (f *LinkCorrupt) Validate() error { return probability("p", f.P) }

// Strike implements Fault.
func (f *LinkCorrupt) Strike(s Surfaces, t Strike) (Active, error) {
	o, err := s.Links.Lay(t.Dir, fabric.Layer{Fault: t.Index, Corrupt: float64(f.P), Key: t.Key})
	if err != nil {
		return nil, err
	}
	return chance{o, float64(f.P)}, nil
}
