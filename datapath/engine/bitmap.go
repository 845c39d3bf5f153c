package engine

// bitmapMin is the smallest ring, in packets.
const bitmapMin = 64

// bitmap is a set of packet sequence numbers within a window, as a ring of words. Bit i of the word for
// psn is the number psn&^63 + i, so that whole words can be taken and compared.
type bitmap struct {
	words []uint64 // a power of two
}

// size is how many consecutive numbers fit.
func (b *bitmap) size() uint64 { return uint64(len(b.words)) * 64 }

func (b *bitmap) word(psn uint64) *uint64 { return &b.words[psn/64&uint64(len(b.words)-1)] }

func (b *bitmap) has(psn uint64) bool {
	return len(b.words) > 0 && *b.word(psn)&(1<<(psn%64)) != 0
}

func (b *bitmap) set(psn uint64) { *b.word(psn) |= 1 << (psn % 64) }

func (b *bitmap) clear(psn uint64) { *b.word(psn) &^= 1 << (psn % 64) }

// grow makes room for n numbers, a power of two of at least 64, from low on; the members are kept.
func (b *bitmap) grow(n, low uint64) {
	if n <= b.size() {
		return
	}
	old := *b
	b.words = make([]uint64, n/64)
	for p := low; p < low+old.size(); p++ {
		if old.has(p) {
			b.set(p)
		}
	}
}
