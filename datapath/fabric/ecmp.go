package fabric

import "github.com/stellarlab/stellarlab/internal/seed"

// Tuple is what a switch hashes to choose among equal paths: the flow of RFC 2992, as layer-4 hashing sees it.
type Tuple struct {
	Src, Dst     uint32 // IPv4, host byte order
	Sport, Dport uint16
	Proto        uint8
}

// Digest folds a tuple into one word that every switch of its way can start from.
func (t Tuple) Digest() uint64 {
	return seed.Mix(uint64(t.Src)<<32|uint64(t.Dst)) ^
		seed.Mix(uint64(t.Sport)<<32|uint64(t.Dport)<<16|uint64(t.Proto)+1)
}

// Salt prepares a node's ECMP seed for ECMP.
func Salt(n *Node) uint64 {
	x := uint64(n.Seed)<<1 | 1
	if n.Host() {
		x++
	}
	return seed.Mix(x)
}

// ECMP hashes a tuple's digest at a switch with this salt, uniform in [0, 2^32). Different seeds give
// independent choices, so that two tiers do not polarise.
func ECMP(digest, salt uint64) uint32 { return uint32(seed.Mix(digest^salt) >> 32) }

// Pick turns a hash into one of n choices, n > 0.
func Pick(hash uint32, n int) int { return int(uint64(hash) * uint64(n) >> 32) }

// Repick chooses among the n choices that are left after the first was dead. It is a choice of its own, so a
// flow whose first choice lives does not move when another dies (FAULTS law 4; resilient hashing).
func Repick(hash uint32, n int) int {
	return Pick(uint32(seed.Mix(uint64(hash)+0x9e3779b97f4a7c15)>>32), n)
}
