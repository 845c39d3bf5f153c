// Package wire is the packet format: RoCEv2 headers with a valid ICRC, and the spray extension behind them.
// It holds no protocol state: datapath/engine decides what to send, wire says how it looks.
package wire

import (
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Opcode is the BTH opcode (IBTA 9.2.1), RC transport class.
type Opcode uint8

// Opcodes in use.
const (
	WriteOnly   Opcode = 0x0a // RDMA WRITE Only: BTH, RETH, extension, payload
	Acknowledge Opcode = 0x11 // ACK or NAK: BTH, AETH, extension
)

// Flag marks a packet within its message; carried in the spray extension.
type Flag uint8

// Flags of the spray extension.
const (
	First      Flag = 1 << iota // holds the first byte of its message
	Last                        // holds the last byte of its message
	Retransmit                  // was sent before
	AckRequest                  // BTH.A: the responder should acknowledge at once
	CE                          // set by the receiver from the IP header: congestion experienced. Never on the wire.
)

// AckWords is the number of 64-bit words of an acknowledgement's bitmap.
const AckWords = 4

// Syndrome is the AETH syndrome (IBTA 9.7.5.2.4): 0x00-0x1f ACK with credits, 0x60 and up NAK.
type Syndrome uint8

// Syndromes in use.
const (
	SyndromeAck               Syndrome = 0x1f // acknowledge, credit field unused
	SyndromeSequenceError     Syndrome = 0x60
	SyndromeInvalidRequest    Syndrome = 0x61
	SyndromeRemoteAccess      Syndrome = 0x62
	SyndromeRemoteOperational Syndrome = 0x63
)

// Packet is one decoded packet of the spray transport. It is a plain value: the simulator carries it as it
// is, namespaces encode it (Append) and decode it (Decode). Fields of the other opcode are zero.
type Packet struct {
	Src, Dst uint32 // IPv4 addresses, host byte order
	Entropy  uint16 // UDP source port: decides the path in every switch
	ECN      uint8  // IP ECN field: 2 when sent (ECT(0)), 3 when a queue marked it (CE)

	Opcode     Opcode
	Flags      Flag
	Generation uint8  // of the destination queue pair, both opcodes: tells a late packet to a reused number
	DestQP     uint32 // 24 bits
	PSN        uint32 // 24 bits. WriteOnly: this packet's; ACK: the highest cumulatively received; NAK: the one refused (IBTA 9.7.5.2)

	// The head of the spray extension, both opcodes. (DestQP, Path, PathSeq) names one transmission: a
	// packet sent again has a new PathSeq. Fault draws are keyed by it.
	Path    uint16
	PathSeq uint32
	Sent    vtime.Time // sender's clock when it left; echoed by acknowledgements

	// WriteOnly.
	VA         mem.VA  // RETH: where this packet's first byte goes
	RKey       mem.Key // RETH
	MSN        uint32  // message sequence number, from 0
	Offset     uint32  // of the payload within its message, bytes
	MessageLen uint32  // bytes
	Payload    mem.Payload

	// Acknowledge.
	Syndrome    Syndrome
	AckMSN      uint32           // messages completed in order (low 24 bits in AETH)
	BitmapBase  uint32           // PSN of bit 0 of Bitmap, 24 bits
	Bitmap      [AckWords]uint64 // bit i set: PSN BitmapBase+i has been received
	EchoPath    uint16           // of the packet that caused this acknowledgement
	EchoPathSeq uint32
	EchoSent    vtime.Time
	CECount     uint32 // packets with CE received on this queue pair so far
	AckedBytes  uint32 // packets' payload bytes covered since the previous acknowledgement
	WindowEdge  uint32 // first PSN that the receiver would not buffer, 24 bits
}
