package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Decode reads an IPv4 datagram into p. p.Payload.Bytes is part of b. Lengths are exact, the ICRC is checked
// before anything behind the BTH is believed; on an error p is not to be used. It allocates nothing unless it
// fails.
func Decode(b []byte, p *Packet) error {
	if len(b) < ipLen+udpLen+bthLen+icrcLen {
		return fmt.Errorf("%w: %d bytes", ErrMalformed, len(b))
	}
	if b[0] != 0x45 || b[9] != protoUDP || int(be.Uint16(b[2:])) != len(b) {
		return fmt.Errorf("%w: not a whole IPv4 datagram without options that carries UDP", ErrMalformed)
	}
	if f := be.Uint16(b[6:]); f != dontFrag {
		return fmt.Errorf("%w: flags and fragment offset %#x, want DF alone", ErrMalformed, f)
	}
	u := b[ipLen:]
	if be.Uint16(u[2:]) != Port || int(be.Uint16(u[4:])) != len(u) {
		return fmt.Errorf("%w: UDP port %d, length %d of %d", ErrMalformed, be.Uint16(u[2:]), be.Uint16(u[4:]), len(u))
	}
	*p = Packet{Src: be.Uint32(b[12:]), Dst: be.Uint32(b[16:]), Entropy: be.Uint16(u), ECN: b[1] & 3}
	if err := decode(b[:fixed], b[ipLen+udpLen:], p); err != nil {
		return err
	}
	if id := be.Uint16(b[4:]); id != 0 { // last, so that it is the ICRC that rejects a corrupted one
		return fmt.Errorf("%w: IP identification %d, want 0", ErrMalformed, id)
	}
	return nil
}

// DecodeUDP reads the payload of a UDP datagram to Port, as a socket delivers it. The IP header that the ICRC
// covers is put together again: senders of this format use identification 0, DF and no options.
func DecodeUDP(src, dst uint32, sport uint16, ecn uint8, b []byte, p *Packet) error {
	if len(b) < bthLen+icrcLen || len(b) > 0xffff-ipLen-udpLen {
		return fmt.Errorf("%w: %d bytes", ErrMalformed, len(b))
	}
	var h [fixed]byte
	total := ipLen + udpLen + len(b)
	h[0], h[6], h[9] = 0x45, dontFrag>>8, protoUDP
	be.PutUint16(h[2:], uint16(total))
	be.PutUint32(h[12:], src)
	be.PutUint32(h[16:], dst)
	be.PutUint16(h[20:], sport)
	be.PutUint16(h[22:], Port)
	be.PutUint16(h[24:], uint16(total-ipLen))
	copy(h[ipLen+udpLen:], b)
	*p = Packet{Src: src, Dst: dst, Entropy: sport, ECN: ecn & 3}
	return decode(h[:], b, p)
}

// decode checks the ICRC and reads BTH and what follows. h is the packet up to the end of the BTH, b from the
// BTH on.
func decode(h, b []byte, p *Packet) error {
	end := len(b) - icrcLen
	if crc32.Update(icrcFixed(h), crc32.IEEETable, b[bthLen:end]) != binary.LittleEndian.Uint32(b[end:]) {
		return ErrICRC
	}
	p.Opcode = Opcode(b[0])
	padCount := int(b[1]>>4) & 3
	if b[1]&^0x30 != 0 || be.Uint16(b[2:]) != pKey { // resv8a may have been changed on the way
		return fmt.Errorf("%w: BTH flags %#x, partition %#x", ErrMalformed, b[1], be.Uint16(b[2:]))
	}
	p.DestQP = be.Uint32(b[4:]) & 0xffffff
	p.PSN = be.Uint32(b[8:]) & 0xffffff
	switch {
	case b[8]&^0x80 != 0:
		return fmt.Errorf("%w: reserved bits of the BTH are not zero", ErrMalformed)
	case b[8] != 0:
		p.Flags = AckRequest
	}
	switch p.Opcode {
	case WriteOnly:
		return decodeWrite(b[bthLen:end], padCount, p)
	case Acknowledge:
		return decodeAck(b[bthLen:end], padCount, p)
	}
	return fmt.Errorf("%w: %#x", ErrOpcode, b[0])
}

// decodeHead reads the first 16 bytes of the extension.
func decodeHead(ext []byte, kind byte, p *Packet) error {
	if ext[0] != extVersion<<4|kind {
		return fmt.Errorf("%w: %#x, want %#x", ErrVersion, ext[0], extVersion<<4|kind)
	}
	if ext[1]&^byte(First|Last|Retransmit) != 0 {
		return fmt.Errorf("%w: unknown flags %#x", ErrMalformed, ext[1])
	}
	p.Flags |= Flag(ext[1])
	if p.ECN == 3 {
		p.Flags |= CE
	}
	p.Path = be.Uint16(ext[2:])
	p.PathSeq = be.Uint32(ext[4:])
	p.Sent = vtime.Time(be.Uint64(ext[8:]))
	return nil
}

func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
