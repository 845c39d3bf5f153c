package wire

import (
	"encoding/binary"
	"hash/crc32"
)

// fixed is what every packet begins with: IPv4, UDP and BTH.
const fixed = ipLen + udpLen + bthLen

// icrcSeed is the CRC register after the eight bytes of ones that stand for the missing LRH (IBTA A17.3.3).
var icrcSeed = crc32.ChecksumIEEE([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})

// ICRC is the invariant CRC of a RoCEv2 packet (IBTA A17.3.3): headers is everything from the IPv4 header up to
// the payload, at least up to the end of the BTH; rest is payload and padding. What routers may change counts
// as ones: TOS, TTL, both checksums, and the reserved byte of the BTH.
func ICRC(headers, rest []byte) uint32 {
	c := crc32.Update(icrcFixed(headers[:fixed]), crc32.IEEETable, headers[fixed:])
	return crc32.Update(c, crc32.IEEETable, rest)
}

// icrcFixed is the CRC over the headers that hold masked bytes. It goes byte by byte: a masked copy handed to
// package crc32 would be allocated.
func icrcFixed(h []byte) uint32 {
	c := ^icrcSeed
	for i, b := range h[:fixed] {
		switch i {
		case 1, 8, 10, 11, 26, 27, 32:
			b = 0xff
		}
		c = crc32.IEEETable[byte(c)^b] ^ c>>8
	}
	return ^c
}

// appendICRC appends the ICRC as it goes on the wire: least significant byte first.
func appendICRC(b []byte, c uint32) []byte { return binary.LittleEndian.AppendUint32(b, c) }
