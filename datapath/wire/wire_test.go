package wire_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"pgregory.net/rapid"
)

// anyPacket draws a packet that the format can carry.
func anyPacket(t *rapid.T) wire.Packet {
	p := wire.Packet{
		Src: rapid.Uint32().Draw(t, "src"), Dst: rapid.Uint32().Draw(t, "dst"),
		Entropy: rapid.Uint16().Draw(t, "entropy"), ECN: 2,
		DestQP: rapid.Uint32Range(0, 1<<24-1).Draw(t, "qp"), PSN: rapid.Uint32Range(0, 1<<24-1).Draw(t, "psn"),
		Generation: rapid.Uint8().Draw(t, "generation"),
		Path:       rapid.Uint16().Draw(t, "path"), PathSeq: rapid.Uint32().Draw(t, "seq"),
		Sent:  vtime.Time(rapid.Int64().Draw(t, "sent")),
		Flags: wire.Flag(rapid.Uint8Range(0, 15).Draw(t, "flags")),
	}
	if rapid.Bool().Draw(t, "data") {
		n := rapid.Uint32Range(0, 300).Draw(t, "len")
		p.Opcode = wire.WriteOnly
		p.VA, p.RKey = mem.VA(rapid.Uint64().Draw(t, "va")), mem.Key(rapid.Uint32().Draw(t, "rkey"))
		p.MSN = rapid.Uint32().Draw(t, "msn")
		p.Offset = rapid.Uint32Range(0, 1<<31).Draw(t, "offset")
		p.MessageLen = p.Offset + n + rapid.Uint32Range(0, 1000).Draw(t, "more")
		p.Payload = mem.Payload{Len: n, Tag: 7, Off: uint64(p.Offset)}
		return p
	}
	p.Opcode = wire.Acknowledge
	p.Syndrome = wire.Syndrome(rapid.Uint8().Draw(t, "syndrome"))
	p.AckMSN = rapid.Uint32Range(0, 1<<24-1).Draw(t, "msn")
	p.BitmapBase = rapid.Uint32Range(0, 1<<24-1).Draw(t, "base")
	p.WindowEdge = rapid.Uint32Range(0, 1<<24-1).Draw(t, "edge")
	for i := range p.Bitmap {
		p.Bitmap[i] = rapid.Uint64().Draw(t, "bitmap")
	}
	p.EchoPath, p.EchoPathSeq = rapid.Uint16().Draw(t, "epath"), rapid.Uint32().Draw(t, "eseq")
	p.EchoSent = vtime.Time(rapid.Int64().Draw(t, "esent"))
	p.CECount, p.AckedBytes = rapid.Uint32().Draw(t, "ce"), rapid.Uint32().Draw(t, "acked")
	return p
}

func TestDecodeInvertsAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPacket(t)
		b := p.Append(nil)
		if len(b) != wire.Size(&p) {
			t.Fatalf("%d bytes, Size says %d", len(b), wire.Size(&p))
		}
		want := p
		want.Payload = mem.Payload{}
		for name, decode := range map[string]func(*wire.Packet) error{
			"Decode":    func(q *wire.Packet) error { return wire.Decode(b, q) },
			"DecodeUDP": func(q *wire.Packet) error { return wire.DecodeUDP(p.Src, p.Dst, p.Entropy, 2, b[28:], q) },
		} {
			var q wire.Packet
			if err := decode(&q); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(q.Payload.Bytes, p.Payload.AppendTo(nil)) {
				t.Fatalf("%s: payload differs", name)
			}
			q.Payload = mem.Payload{}
			if d := cmp.Diff(want, q); d != "" {
				t.Fatalf("%s: %s", name, d)
			}
		}
		headers := p.AppendHeaders(nil)
		if !bytes.Equal(headers, b[:len(headers)]) || len(headers) > wire.MaxHeaders {
			t.Fatal("AppendHeaders is not the head of Append")
		}
	})
}

// mutable says that a router may change bit i of a datagram: TOS, TTL, header and UDP checksum, BTH resv8a.
func mutable(i int) bool {
	switch i / 8 {
	case 1, 8, 10, 11, 26, 27, 32:
		return true
	}
	return false
}

func TestEverySingleBitFlipIsRejected(t *testing.T) {
	for _, p := range samples() {
		b := p.Append(nil)
		for i := range len(b) * 8 {
			b[i/8] ^= 1 << (i % 8)
			var q wire.Packet
			if err := wire.Decode(b, &q); (err != nil) == mutable(i) {
				t.Errorf("%#x: flip of bit %d of byte %d: %v", p.Opcode, i%8, i/8, err)
			}
			if err := wire.DecodeUDP(p.Src, p.Dst, p.Entropy, 2, b[28:], &q); i/8 >= 28 && !mutable(i) && !errors.Is(err, wire.ErrICRC) {
				t.Errorf("%#x: flip of bit %d of byte %d over a socket: %v, want the ICRC to reject it", p.Opcode, i%8, i/8, err)
			}
			b[i/8] ^= 1 << (i % 8)
		}
	}
}

func TestEveryTruncationAndExtensionIsRejected(t *testing.T) {
	for _, p := range samples() {
		b := p.Append(nil)
		var q wire.Packet
		for n := range b {
			if wire.Decode(b[:n], &q) == nil {
				t.Errorf("%#x: %d of %d bytes are accepted", p.Opcode, n, len(b))
			}
			if n >= 28 && wire.DecodeUDP(p.Src, p.Dst, p.Entropy, 2, b[28:n], &q) == nil {
				t.Errorf("%#x: %d of %d bytes are accepted from a socket", p.Opcode, n, len(b))
			}
		}
		if wire.Decode(append(b, 0), &q) == nil {
			t.Errorf("%#x: a byte too many is accepted", p.Opcode)
		}
	}
}

func TestMalformedWithAValidICRCIsNamed(t *testing.T) {
	good := samples()[0]
	for name, c := range map[string]struct {
		change func(b []byte)
		want   error
	}{
		"unknown opcode":           {func(b []byte) { b[28] = 0x64 }, wire.ErrOpcode},
		"unknown version":          {func(b []byte) { b[56] = 0x21 }, wire.ErrVersion},
		"acknowledgement's kind":   {func(b []byte) { b[56] = 0x12 }, wire.ErrVersion},
		"RETH length too long":     {func(b []byte) { b[55]++ }, wire.ErrMalformed},
		"unknown extension flag":   {func(b []byte) { b[57] |= 0x80 }, wire.ErrMalformed},
		"bytes beyond the message": {func(b []byte) { b[80], b[81] = 0, 0; copy(b[82:], []byte{0, 1}) }, wire.ErrMalformed},
		"foreign partition":        {func(b []byte) { b[30] = 0x12 }, wire.ErrMalformed},
	} {
		b := good.Append(nil)
		c.change(b)
		end := len(b) - 4
		sum := wire.ICRC(b[:end], nil)
		b[end], b[end+1], b[end+2], b[end+3] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
		var q wire.Packet
		if err := wire.Decode(b, &q); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func samples() []wire.Packet {
	return []wire.Packet{
		{
			Src: 0x0a000001, Dst: 0x0a000101, Entropy: 50000, ECN: 2, Opcode: wire.WriteOnly, Flags: wire.First | wire.AckRequest,
			DestQP: 0x123456, PSN: 0xfffffe, Path: 77, PathSeq: 9, Sent: 123456789, VA: 0x7f0000001000, RKey: 0x101,
			MSN: 3, Offset: 4096, MessageLen: 8192, Generation: 2, Payload: mem.Payload{Len: 61, Tag: 5},
		},
		{
			Src: 0x0a000001, Dst: 0x0a000101, Entropy: 50000, ECN: 2, Opcode: wire.WriteOnly, Flags: wire.First | wire.Last,
			DestQP: 1, Generation: 1,
		},
		{
			Src: 0x0a000101, Dst: 0x0a000001, Entropy: 50001, ECN: 2, Opcode: wire.Acknowledge, DestQP: 0x654321, PSN: 41,
			Syndrome: wire.SyndromeAck, AckMSN: 2, BitmapBase: 42, Bitmap: [wire.AckWords]uint64{5, 0, 1}, EchoPath: 77,
			EchoPathSeq: 9, EchoSent: 123456789, CECount: 1, AckedBytes: 16384, WindowEdge: 99, Generation: 7,
		},
		{
			Src: 0x0a000101, Dst: 0x0a000001, Entropy: 50001, ECN: 2, Opcode: wire.Acknowledge, DestQP: 0x654321, PSN: 41,
			Syndrome: wire.SyndromeRemoteAccess,
		},
	}
}

func BenchmarkAppend4096(b *testing.B) {
	p := samples()[0]
	payload := make([]byte, 4096)
	p.Payload, p.MessageLen = mem.Payload{Len: 4096, Bytes: payload}, 1<<20
	buf := make([]byte, 0, 8192)
	b.ReportAllocs()
	for b.Loop() {
		buf = p.Append(buf[:0])
	}
}

func BenchmarkDecode4096(b *testing.B) {
	p := samples()[0]
	p.Payload, p.MessageLen = mem.Payload{Len: 4096, Tag: 3}, 1<<20
	buf := p.Append(nil)
	b.ReportAllocs()
	for b.Loop() {
		var q wire.Packet
		if err := wire.Decode(buf, &q); err != nil {
			b.Fatal(err)
		}
	}
}
