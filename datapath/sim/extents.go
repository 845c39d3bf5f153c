package sim

import (
	"slices"

	"github.com/stellarlab/stellarlab/internal/mem"
)

// extent is a stretch of a block that holds part of one pattern, or of one literal. What no extent covers is
// zero, as untouched memory is.
type extent struct {
	off, n  uint32 // within the block, bytes; n > 0
	literal uint32 // number of the literal; 0: pattern tag
	tag     uint64
	at      uint64 // offset within the pattern or literal
}

func (e *extent) end() uint32 { return e.off + e.n }

// continues says that o goes on where e ends, in place and in content.
func (e *extent) continues(o *extent) bool {
	return e.end() == o.off && e.literal == o.literal && e.tag == o.tag && e.at+uint64(e.n) == o.at
}

// cut returns the part of e that lies in [from, to), which must not be empty.
func (e *extent) cut(from, to uint32) extent {
	from, to = max(from, e.off), min(to, e.end())
	c := *e
	c.off, c.n, c.at = from, to-from, e.at+uint64(from-e.off)
	return c
}

// payload is what e holds.
func (e *extent) payload(literals [][]byte) mem.Payload {
	if e.literal > 0 {
		return mem.Payload{Len: e.n, Bytes: literals[e.literal][e.at : e.at+uint64(e.n)]}
	}
	return mem.Payload{Len: e.n, Tag: e.tag, Off: e.at}
}

// extents is the content of one block: sorted, disjoint, neighbours that continue one another merged. So a
// message that was placed whole is one extent, and one under way has as many as it has holes.
type extents []extent

// find returns the index of the first extent that ends after off.
func (x extents) find(off uint32) int {
	lo, hi := 0, len(x)
	for lo < hi {
		if m := int(uint(lo+hi) / 2); x[m].end() > off {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return lo
}

// set stores e over whatever is there.
func (x extents) set(e extent) extents {
	i := x.find(e.off)
	if i > 0 && x[i-1].continues(&e) && (i == len(x) || x[i].off >= e.end()) { // the usual case: more of the same
		x[i-1].n += e.n
		if i < len(x) && x[i-1].continues(&x[i]) {
			x[i-1].n += x[i].n
			return slices.Delete(x, i, i+1)
		}
		return x
	}
	j := i
	for j < len(x) && x[j].off < e.end() {
		j++
	}
	var parts [3]extent // what is left of x[i], e, what is left of x[j-1]
	k := 0
	add := func(p extent) {
		if k > 0 && parts[k-1].continues(&p) {
			parts[k-1].n += p.n
			return
		}
		parts[k] = p
		k++
	}
	if i > 0 && x[i-1].continues(&e) {
		i--
		add(x[i])
	} else if i < j && x[i].off < e.off {
		add(x[i].cut(0, e.off))
	}
	add(e)
	if j > i && x[j-1].end() > e.end() {
		add(x[j-1].cut(e.end(), x[j-1].end()))
	} else if j < len(x) && parts[k-1].continues(&x[j]) {
		add(x[j])
		j++
	}
	return splice(x, i, j, parts[:k])
}

// splice replaces x[i:j] by parts.
func splice(x extents, i, j int, parts []extent) extents {
	switch d := len(parts) - (j - i); {
	case d > 0:
		n := len(x)
		x = append(x, parts[:d]...) // room; the content is overwritten
		copy(x[j+d:], x[j:n])
	case d < 0:
		copy(x[j+d:], x[j:])
		x = x[:len(x)+d]
	}
	copy(x[i:], parts)
	return x
}

// each calls f with the content of [off, off+n), piece by piece, zeros included.
func (x extents) each(off, n uint32, f func(extent)) {
	end := off + n
	for i := x.find(off); off < end; i++ {
		if i == len(x) || x[i].off >= end {
			f(extent{off: off, n: end - off})
			return
		}
		if x[i].off > off {
			f(extent{off: off, n: x[i].off - off})
		}
		c := x[i].cut(off, end)
		f(c)
		off = c.end()
	}
}

// one returns the content of [off, off+n) if it is all of one piece.
func (x extents) one(off, n uint32) (extent, bool) {
	i := x.find(off)
	if i == len(x) || x[i].off >= off+n {
		return extent{off: off, n: n}, true
	}
	if x[i].off <= off && x[i].end() >= off+n {
		return x[i].cut(off, off+n), true
	}
	return extent{}, false
}
