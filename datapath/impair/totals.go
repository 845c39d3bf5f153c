//go:build linux

package impair

// Totals is the ledger of one link direction since it was attached, counted where packets pass. The program
// counts without knowing what any layer asked for. Its layout is that of the kernel map's value.
type Totals struct {
	Packets   uint64 // RoCEv2 packets that reached the receiving end
	Bytes     uint64 // of Packets, from the IPv4 header on
	Delivered uint64 // RoCEv2 packets passed on, corrupted ones among them
	Blackhole uint64 // RoCEv2 packets dropped by a black hole
	Loss      uint64 // RoCEv2 packets dropped by random loss
	Corrupted uint64 // RoCEv2 packets passed on with a byte flipped
	Other     uint64 // packets that are not RoCEv2: passed, and no layer sees them
	Failed    uint64 // RoCEv2 packets that a layer should have corrupted and the kernel refused to: passed whole
}

// Sent is what a counting program at the sending end saw.
type Sent struct {
	Packets uint64 // RoCEv2 packets
	Bytes   uint64 // of Packets, from the IPv4 header on
	Other   uint64 // packets that are not RoCEv2
}
