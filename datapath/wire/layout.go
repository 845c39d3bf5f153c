package wire

import "encoding/binary"

// Lengths of the headers, bytes. docs/wire.md draws them.
const (
	ipLen   = 20
	udpLen  = 8
	bthLen  = 12
	rethLen = 16
	aethLen = 4
	dataExt = 32
	ackExt  = 80
	icrcLen = 4

	dataHeaders = ipLen + udpLen + bthLen + rethLen + dataExt
	ackHeaders  = ipLen + udpLen + bthLen + aethLen + ackExt

	// Overhead is what a data packet carries beside its payload, in bytes of the IPv4 datagram, padding apart.
	Overhead = dataHeaders + icrcLen
	// AckSize is the size of an acknowledgement, bytes of the IPv4 datagram.
	AckSize = ackHeaders + icrcLen
	// MaxHeaders is enough room for AppendHeaders.
	MaxHeaders = ackHeaders

	// Port is the UDP destination port of RoCEv2 (IBTA A17.4.1.1).
	Port = 4791

	extVersion = 1
	kindData   = 1
	kindAck    = 2
	pKey       = 0xffff // default partition
	protoUDP   = 17
	ttl        = 64
	dontFrag   = 0x4000
)

var be = binary.BigEndian

// pad is the number of bytes that bring n to a multiple of four (BTH PadCnt).
func pad(n uint32) int { return int(-n & 3) }

// Size returns the bytes of the IPv4 datagram that Append makes of p.
func Size(p *Packet) int {
	if p.Opcode == Acknowledge {
		return AckSize
	}
	return Overhead + int(p.Payload.Len) + pad(p.Payload.Len)
}

// Framing is what Ethernet adds to an IPv4 datagram on a link, bytes: header 14, check sequence 4, preamble and gap 20.
const Framing = 14 + 4 + 20
