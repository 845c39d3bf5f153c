// Package seed turns the one seed of a run into named, independent random streams.
// It is not a source of randomness of its own: equal seed and name give an equal stream, for ever.
package seed

import (
	"hash/fnv"
	"math/rand/v2"
)

// Key identifies a stream. It is data: a plan carries keys, so that running it needs no seed.
type Key uint64

// Derive returns the key of the stream called name under the seed or key base. Adding a name moves no
// other name's stream (FAULTS law 5).
func Derive(base uint64, name string) Key {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // a hash never fails
	return Key(Mix(base ^ Mix(h.Sum64())))
}

// Rand returns a fresh generator at the start of the stream. It is not safe for concurrent use.
func (k Key) Rand() *rand.Rand {
	return rand.New(rand.NewPCG(uint64(k), Mix(uint64(k))))
}

// Golden is 2^64 over the golden ratio, made odd: its multiples modulo 2^64 are distinct and lie far apart. It
// spreads numbers that count up before they are mixed.
const Golden = 0x9e3779b97f4a7c15

// Mix is a bijective 64-bit finaliser: every bit of the result depends on every bit of x.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return x
}
