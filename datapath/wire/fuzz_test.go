package wire_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"pgregory.net/rapid"
)

// sealed is b with the ICRC that its bytes ask for, so that changes get past it.
func sealed(b []byte) []byte {
	b = bytes.Clone(b)
	if end := len(b) - 4; end >= 40 {
		sum := wire.ICRC(b[:end], nil)
		b[end], b[end+1], b[end+2], b[end+3] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
	}
	return b
}

// settled is b with the bits that routers may change as Append would have sent them; the ECN field stays.
func settled(b, as []byte) []byte {
	b = bytes.Clone(b)
	for i := range b {
		if mutable(i * 8) {
			b[i] = as[i]
		}
	}
	return b
}

func FuzzDecode(f *testing.F) {
	for _, p := range samples() {
		f.Add(p.Append(nil), false)
		f.Add(p.Append(nil), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal {
			b = sealed(b)
		}
		var p, q wire.Packet
		err := wire.Decode(b, &p)
		if len(b) >= 28 {
			_ = wire.DecodeUDP(p.Src, p.Dst, p.Entropy, p.ECN, b[28:], &q) // must not panic, whatever Decode thinks
		}
		if err != nil {
			return
		}
		again := p.Append(nil)
		if !bytes.Equal(again, settled(b, again)) {
			t.Fatalf("% x\ndecodes to %+v, which is\n% x", b, p, again)
		}
		if d := cmp.Diff(p, q); d != "" {
			t.Fatalf("DecodeUDP differs from Decode: %s", d)
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		p := anyPacket(t)
		b := p.Append(nil)
		var q wire.Packet
		if err := wire.Decode(b, &q); err != nil {
			t.Fatal(err)
		}
		if again := q.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("% x\nbecomes\n% x", b, again)
		}
	}))
}

// TestZeroCopySenderGetsTheSameBytes takes the ICRC over headers and payload that lie apart.
func TestZeroCopySenderGetsTheSameBytes(t *testing.T) {
	for _, p := range samples() {
		want := p.Append(nil)
		headers := p.AppendHeaders(nil)
		rest := want[len(headers) : len(want)-4]
		sum := wire.ICRC(headers, rest)
		got := append(append(headers, rest...), byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
		if !bytes.Equal(got, want) {
			t.Errorf("%#x: % x, want % x", p.Opcode, got, want)
		}
	}
}

func TestForeignIdentificationIsRefused(t *testing.T) {
	p := samples()[0]
	b := p.Append(nil)
	b[5] = 1
	var q wire.Packet
	if wire.Decode(sealed(b), &q) == nil {
		t.Error("IP identification 1 is accepted: DecodeUDP, which cannot see it, would refuse the same packet")
	}
}

func TestNothingIsAllocated(t *testing.T) {
	for _, p := range samples() {
		p.Payload.Bytes = make([]byte, p.Payload.Len)
		buf := make([]byte, 0, wire.Size(&p))
		if n := testing.AllocsPerRun(100, func() { buf = p.Append(buf[:0]) }); n != 0 {
			t.Errorf("%#x: Append allocates %v times", p.Opcode, n)
		}
		var q wire.Packet
		if n := testing.AllocsPerRun(100, func() { _ = wire.Decode(buf, &q) }); n != 0 {
			t.Errorf("%#x: Decode allocates %v times", p.Opcode, n)
		}
		if n := testing.AllocsPerRun(100, func() { _ = wire.DecodeUDP(p.Src, p.Dst, p.Entropy, 2, buf[28:], &q) }); n != 0 {
			t.Errorf("%#x: DecodeUDP allocates %v times", p.Opcode, n)
		}
	}
}
