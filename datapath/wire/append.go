package wire

// Append appends the whole IPv4 datagram of p, ICRC included. It allocates nothing when b has room for Size(p).
// It panics on an opcode that is not in use: that is a defect of the caller.
func (p *Packet) Append(b []byte) []byte {
	start := len(b)
	b = p.AppendHeaders(b)
	headers := len(b) - start
	if p.Opcode == WriteOnly {
		b = p.Payload.AppendTo(b)
		for range pad(p.Payload.Len) {
			b = append(b, 0)
		}
	}
	return appendICRC(b, ICRC(b[start:start+headers], b[start+headers:]))
}

// AppendHeaders appends everything that comes before the payload: IPv4, UDP, BTH, extended header, extension.
func (p *Packet) AppendHeaders(b []byte) []byte {
	total := Size(p)
	b = append(b,
		0x45, ecnMask(p.ECN), byte(total>>8), byte(total), // version, IHL, TOS, total length
		0, 0, dontFrag>>8, 0, // identification 0: ICRC covers it
		ttl, protoUDP, 0, 0,
	)
	b = be.AppendUint32(b, p.Src)
	b = be.AppendUint32(b, p.Dst)
	ip := b[len(b)-ipLen:]
	be.PutUint16(ip[10:], ipChecksum(ip))
	b = be.AppendUint16(b, p.Entropy)
	b = be.AppendUint16(b, Port)
	b = be.AppendUint16(b, uint16(total-ipLen))
	b = append(b, 0, 0) // no UDP checksum: the ICRC is what rejects corruption
	switch p.Opcode {
	case WriteOnly:
		return p.appendWrite(b)
	case Acknowledge:
		return p.appendAck(b)
	}
	panic("wire: opcode not in use")
}

// appendBTH appends the base transport header (IBTA 9.2).
func (p *Packet) appendBTH(b []byte, padCount int) []byte {
	b = append(b, byte(p.Opcode), byte(padCount)<<4) // SE, M, PadCnt, TVer
	b = be.AppendUint16(b, pKey)
	b = be.AppendUint32(b, p.DestQP&0xffffff)
	psn := p.PSN & 0xffffff
	if p.Flags&AckRequest != 0 {
		psn |= 1 << 31
	}
	return be.AppendUint32(b, psn)
}

// appendHead appends the first 16 bytes of the extension, the same in every packet.
func (p *Packet) appendHead(b []byte, kind byte) []byte {
	b = append(b, extVersion<<4|kind, byte(p.Flags&(First|Last|Retransmit)))
	b = be.AppendUint16(b, p.Path)
	b = be.AppendUint32(b, p.PathSeq)
	return be.AppendUint64(b, uint64(p.Sent))
}

func ecnMask(ecn uint8) byte { return ecn & 3 }

// ipChecksum is the header checksum of RFC 791 over a header whose checksum field is zero.
func ipChecksum(h []byte) uint16 {
	var s uint32
	for i := 0; i < len(h); i += 2 {
		s += uint32(be.Uint16(h[i:]))
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return ^uint16(s)
}
