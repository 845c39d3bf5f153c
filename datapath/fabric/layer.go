package fabric

import "github.com/stellarlab/stellarlab/internal/seed"

// Layer is what one fault lays over one direction of a link (FAULTS law 1). Layers are values: a plan
// holds them, a lab folds them. The zero Layer changes nothing.
type Layer struct {
	Fault     int32    // index of the fault occurrence in the plan: who is credited
	Down      bool     // carrier lost: nothing enters, what is in flight is lost
	Blackhole bool     // link up, nothing delivered
	Loss      float64  // probability in [0,1] per packet
	Corrupt   float64  // probability in [0,1] per packet that CorruptBits bits flip
	Key       seed.Key // stream of this layer's draws
}

// Counters is the evidence of one layer, counted where packets pass.
type Counters struct {
	Seen    uint64 // packets that passed the layer's direction while it lay there
	Matched uint64 // packets that this layer acted on and is credited for
	Masked  uint64 // packets that it would have acted on, but an earlier layer did
}

// SourceFactor spreads the sender's address over an Identity; it is odd, so that no two addresses meet.
const SourceFactor = seed.Golden

// Identity names one transmission of one packet, equal in both labs: the sender's IPv4 address, and see
// wire.Packet.PathSeq. Hosts number their queue pairs alike: without the sender a loss would strike all of them at
// once.
func Identity(src, destQP uint32, path uint16, pathSeq uint32) uint64 {
	return uint64(destQP)<<40 ^ uint64(path)<<24 ^ uint64(pathSeq) ^ uint64(src)*SourceFactor
}

// Draw decides whether a layer with probability p acts on a packet. It depends on nothing else, so removing
// a layer moves no other's draws. The namespace lab's eBPF program computes the same function.
func Draw(key seed.Key, identity uint64, p float64) bool {
	return Hash(key, identity) < Threshold(p)
}

// Threshold turns a probability into the bound that Hash is compared with: 0 never, 1 always.
func Threshold(p float64) uint64 {
	switch {
	case p <= 0:
		return 0
	case p >= 1:
		return 1 << 32
	}
	return uint64(p * (1 << 32))
}

// Hash is the draw of a layer for a packet, uniform in [0, 2^32).
func Hash(key seed.Key, identity uint64) uint64 {
	return seed.Mix(uint64(key)^seed.Mix(identity)) >> 32
}
