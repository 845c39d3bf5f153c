package spray

import "math/rand/v2"

// roundRobin takes the paths in turn. The start is random, or all queue pairs would walk in step.
type roundRobin struct {
	at, n uint16
}

func newRoundRobin(paths int, r *rand.Rand) Policy {
	return &roundRobin{at: uint16(r.IntN(paths)), n: uint16(paths)}
}

// Next implements Policy.
func (p *roundRobin) Next() uint16 {
	p.at++
	if p.at >= p.n {
		p.at = 0
	}
	return p.at
}
