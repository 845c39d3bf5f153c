package fabric

import (
	"math/bits"

	"github.com/stellarlab/stellarlab/internal/seed"
)

// Tuple is what a switch hashes to choose among equal paths: the flow of RFC 2992, as layer-4 hashing sees it.
type Tuple struct {
	Src, Dst     uint32 // IPv4, host byte order
	Sport, Dport uint16
	Proto        uint8
}

// Digest folds a tuple into one word that every switch of its way can start from: the source port as it is, below
// a hash of the rest.
func (t Tuple) Digest() uint64 {
	rest := seed.Mix(uint64(t.Src)<<32|uint64(t.Dst)) ^ seed.Mix(uint64(t.Dport)<<8|uint64(t.Proto)+1)
	return rest&^0xffff | uint64(t.Sport)
}

// Salt prepares a node's ECMP seed for ECMP.
func Salt(n *Node) uint64 {
	x := uint64(n.Seed)<<1 | 1
	if n.Host() {
		x++
	}
	return seed.Mix(x)
}

// ECMP hashes a tuple's digest at a switch with this salt, uniform in [0, 2^32). Different seeds give different
// choices, so that two tiers do not polarise.
//
// In the source port it is linear over GF(2), as the CRC of switch chips is (HPN's hash replay rests on that):
// a block of ports that is as long as a power of two, and aligned, is spread as evenly as the number of choices
// allows. Everything else of the tuple is mixed without structure.
func ECMP(digest, salt uint64) uint32 {
	port := uint32(bits.Reverse16(uint16(digest)))
	// The lowest port bit is the highest of the hash; the taps add lower ones to it, so the map keeps its rank.
	port ^= port<<(1+salt&3) ^ port<<(3+salt>>2&3) ^ port<<(6+salt>>4&3) ^ port<<(9+salt>>6&7)
	return uint32(seed.Mix(digest>>16^salt)>>32) ^ port<<16
}

// Pick turns a hash into one of n choices, n > 0.
func Pick(hash uint32, n int) int { return int(uint64(hash) * uint64(n) >> 32) }

// Repick chooses among the n choices that are left after the first was dead. It is a choice of its own, so a
// flow whose first choice lives does not move when another dies (FAULTS law 4; resilient hashing).
func Repick(hash uint32, n int) int {
	return Pick(uint32(seed.Mix(uint64(hash)+seed.Golden)>>32), n)
}
