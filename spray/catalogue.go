package spray

import "math/rand/v2"

// Policy chooses paths in some order of its own; health is applied to what it proposes.
type Policy interface {
	// Next proposes a path in [0, n), n being the number that it was made with.
	Next() uint16
}

// Kind is one entry of the catalogue.
type Kind struct {
	Name string
	Does string // one sentence
	New  func(paths int, r *rand.Rand) Policy
}

// Catalogue returns every policy, by name.
func Catalogue() []Kind {
	return []Kind{
		{"oblivious", "every packet takes a pseudo-random path, whatever happened before (OBS, Stellar §7)", newOblivious},
		{"roundrobin", "paths are taken in turn, from a random start", newRoundRobin},
		{"single", "all packets take one path, as a classic RoCEv2 queue pair", newSingle},
	}
}

// Lookup returns the policy called name.
func Lookup(name string) (Kind, bool) {
	for _, k := range Catalogue() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Names returns the names of the catalogue.
func Names() []string {
	var names []string
	for _, k := range Catalogue() {
		names = append(names, k.Name)
	}
	return names
}
