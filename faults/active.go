package faults

// chance is an overlay that acts on each thing that passes with a probability.
type chance struct {
	Overlay
	p float64
}

// Chance implements Active.
func (c chance) Chance() float64 { return c.p }
