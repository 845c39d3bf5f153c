package faults

import "github.com/stellarlab/stellarlab/datapath/fabric"

// LinkDown are the parameters of link.down: none. A link has one carrier, so both directions go; direction says
// whose end is set down: the sender's of the direction named, both by default.
type LinkDown struct{}

var linkDown = Kind{
	Name:     "link.down",
	Models:   "cut fibre, port taken down: no carrier at either end",
	Sim:      "the link loses its carrier: both ends stop using it at once, what is on the wire is lost; nobody further away learns",
	Netns:    "the veth end of the direction's sender is set down, its peer loses the carrier; routes over it are withdrawn at both ends only",
	Evidence: "link state read back; packets lost for want of a carrier are counted",
	Undo:     "the layer is removed; when no layer is left the end is set up again, with its neighbours and routes",
	Composes: "down wins over every other layer of the link",
	Example:  "{name: cut, at: 2ms, for: 10ms, link.down: {link: leaf0-spine3}}",
	Aim:      AtLink, Rule: ByState, Needs: needsLinks,
	New: func() Fault { return &LinkDown{} },
}

// Validate implements Fault.
func (*LinkDown) Validate() error { return nil }

// Strike implements Fault.
func (*LinkDown) Strike(s Surfaces, t Strike) (Active, error) {
	o, err := s.Links.Lay(t.Dir, fabric.Layer{Fault: t.Index, Down: true, Key: t.Key})
	if err != nil {
		return nil, err
	}
	return chance{o, always}, nil
}
