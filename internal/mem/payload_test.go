package mem_test

import (
	"bytes"
	"testing"

	"github.com/stellarlab/stellarlab/internal/mem"
	"pgregory.net/rapid"
)

func TestFillAgreesWithPatternByteAtEveryAlignment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tag := rapid.Uint64().Draw(t, "tag")
		off := rapid.Uint64Range(0, 1<<40).Draw(t, "off")
		b := bytes.Repeat([]byte{0xa5}, rapid.IntRange(0, 70).Draw(t, "len"))
		mem.Fill(b, tag, off)
		for i := range b {
			if b[i] != mem.PatternByte(tag, off+uint64(i)) {
				t.Fatalf("byte %d differs", i)
			}
		}
		if at := mem.Mismatch(b, tag, off); at != -1 {
			t.Fatalf("Mismatch finds %d in its own pattern", at)
		}
	})
}

func TestMismatchFindsTheFirstFlippedByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tag := rapid.Uint64().Draw(t, "tag")
		off := rapid.Uint64Range(0, 100).Draw(t, "off")
		b := make([]byte, rapid.IntRange(1, 100).Draw(t, "len"))
		mem.Fill(b, tag, off)
		at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		b[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
		if got := mem.Mismatch(b, tag, off); got != at {
			t.Fatalf("Mismatch = %d, want %d", got, at)
		}
	})
}

func TestShiftedStaleAndForeignPatternsDiffer(t *testing.T) {
	const n = 4096
	want := make([]byte, n)
	tag := mem.Tag(1, 17, 0, 3)
	mem.Fill(want, tag, 0)
	for name, other := range map[string]struct{ tag, off uint64 }{
		"another message":    {mem.Tag(1, 17, 0, 4), 0},
		"another generation": {mem.Tag(1, 17, 1, 3), 0},
		"another queue pair": {mem.Tag(1, 18, 0, 3), 0},
		"another run":        {mem.Tag(2, 17, 0, 3), 0},
		"shifted by 8":       {tag, 8},
		"shifted by 4096":    {tag, 4096},
		"zeros":              {0, 0},
	} {
		b := make([]byte, n)
		mem.Fill(b, other.tag, other.off)
		same := 0
		for i := range b {
			if b[i] == want[i] {
				same++
			}
		}
		if same > n/64 {
			t.Errorf("%s: %d of %d bytes agree", name, same, n)
		}
	}
}

func TestPayloadSliceAndAppendTo(t *testing.T) {
	p := mem.Payload{Len: 100, Tag: 9, Off: 5}
	whole := p.AppendTo(nil)
	if got := p.Slice(30, 40).AppendTo([]byte("x")); !bytes.Equal(got[1:], whole[30:70]) {
		t.Error("a slice of a pattern is not the slice of its bytes")
	}
	q := mem.Payload{Len: 100, Bytes: whole}
	if got := q.Slice(30, 40).AppendTo(nil); !bytes.Equal(got, whole[30:70]) {
		t.Error("a slice of bytes is not the slice of the bytes")
	}
}

func TestSpan(t *testing.T) {
	a := mem.Span{Start: 0x1000, Len: 0x1000}
	for _, c := range []struct {
		b                   mem.Span
		contained, overlaps bool
	}{
		{mem.Span{Start: 0x1000, Len: 0x1000}, true, true},
		{mem.Span{Start: 0x1fff, Len: 1}, true, true},
		{mem.Span{Start: 0x1fff, Len: 2}, false, true},
		{mem.Span{Start: 0x2000, Len: 1}, false, false},
		{mem.Span{Start: 0xfff, Len: 1}, false, false},
		{mem.Span{Start: 0x1001, Len: ^uint64(0)}, false, false},
	} {
		if a.Contains(c.b) != c.contained || c.b.Valid() && a.Overlaps(c.b) != c.overlaps {
			t.Errorf("%v against %v", a, c.b)
		}
	}
	if (mem.Span{Start: ^mem.GPA(0), Len: 2}).Valid() || (mem.Span{Start: 1}).Valid() {
		t.Error("a wrapping or empty span is valid")
	}
}

func BenchmarkFill(b *testing.B) {
	buf := make([]byte, 1<<20)
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		mem.Fill(buf, 1, 0)
	}
}

func BenchmarkMismatch(b *testing.B) {
	buf := make([]byte, 1<<20)
	mem.Fill(buf, 1, 0)
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		if mem.Mismatch(buf, 1, 0) >= 0 {
			b.Fatal("differs")
		}
	}
}
