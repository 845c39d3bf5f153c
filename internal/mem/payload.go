package mem

import (
	"encoding/binary"

	"github.com/stellarlab/stellarlab/internal/seed"
)

// Payload is the content of one packet or of one stretch of memory: either real bytes, or a stretch of a
// pattern that stands for them. The simulator carries patterns, namespaces carry bytes; both are compared
// by the same function, so a wrong address, length, order or a stale page is seen in either.
//
// The zero Tag is the pattern of untouched memory: all bytes zero.
type Payload struct {
	Len   uint32 // bytes
	Bytes []byte // nil for a pattern; else len(Bytes) == Len. The receiver of a Payload must not keep Bytes.
	Tag   uint64 // which pattern: see Tag
	Off   uint64 // offset of the first byte within the pattern
}

// Tag names the pattern of one message: of the run, the queue pair with its generation, and the message's
// number on it. It is never zero.
func Tag(run uint64, qpn uint32, generation uint32, message uint64) uint64 {
	t := seed.Mix(run ^ seed.Mix(uint64(qpn)|uint64(generation)<<32) ^ seed.Mix(message+seed.Golden))
	if t == 0 {
		return 1
	}
	return t
}

// Slice returns the payload of n bytes from offset off of p. It panics if they do not lie in p.
func (p Payload) Slice(off, n uint32) Payload {
	if off > p.Len || n > p.Len-off {
		panic("mem: slice outside the payload")
	}
	if p.Bytes != nil {
		return Payload{Len: n, Bytes: p.Bytes[off : off+n]}
	}
	return Payload{Len: n, Tag: p.Tag, Off: p.Off + uint64(off)}
}

// AppendTo appends the bytes that p stands for.
func (p Payload) AppendTo(b []byte) []byte {
	if p.Bytes != nil {
		return append(b, p.Bytes...)
	}
	n := len(b)
	b = append(b, make([]byte, p.Len)...)
	Fill(b[n:], p.Tag, p.Off)
	return b
}

// Fill writes the bytes off … off+len(b) of pattern tag into b.
func Fill(b []byte, tag, off uint64) {
	if tag == 0 {
		clear(b)
		return
	}
	for len(b) > 0 && off%8 != 0 {
		b[0] = byte(word(tag, off/8) >> (8 * (off % 8)))
		b, off = b[1:], off+1
	}
	w := off / 8
	for len(b) >= 8 {
		binary.LittleEndian.PutUint64(b, word(tag, w))
		b, w = b[8:], w+1
	}
	if len(b) > 0 {
		v := word(tag, w)
		for i := range b {
			b[i] = byte(v >> (8 * i))
		}
	}
}

// Mismatch returns the index of the first byte of b that differs from pattern tag at off, or -1.
func Mismatch(b []byte, tag, off uint64) int {
	i := 0
	for i < len(b) {
		o := off + uint64(i)
		if tag != 0 && o%8 == 0 && len(b)-i >= 8 && binary.LittleEndian.Uint64(b[i:]) == word(tag, o/8) {
			i += 8
			continue
		}
		if b[i] != PatternByte(tag, o) {
			return i
		}
		i++
	}
	return -1
}

// PatternByte returns byte off of pattern tag.
func PatternByte(tag, off uint64) byte {
	if tag == 0 {
		return 0
	}
	return byte(word(tag, off/8) >> (8 * (off % 8)))
}

// word is word i of pattern tag: distinct for nearby tags and offsets, so that a shifted, stale or foreign
// stretch never compares equal.
func word(tag, i uint64) uint64 {
	x := tag + i*seed.Golden
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}
