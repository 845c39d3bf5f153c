package faults

// chance is an overlay that acts on each thing that passes with a probability.
type chance struct {
	Overlay
	p float64
}

// always is the chance of an overlay that does not draw: no count refutes it.
const always = -1

// Chance implements Active.
func (c chance) Chance() float64 { return c.p }
