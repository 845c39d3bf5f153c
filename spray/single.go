package spray

import "math/rand/v2"

// single keeps to one path, drawn once.
type single uint16

func newSingle(paths int, r *rand.Rand) Policy { return single(r.IntN(paths)) }

// Next implements Policy.
func (p single) Next() uint16 { return uint16(p) }
