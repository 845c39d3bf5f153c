package engine

// Packet sequence numbers have 24 bits on the wire and 64 inside; comparisons inside need no modulus
// because less than half of the 24-bit space is ever outstanding (IBTA 9.7.1).
const (
	psnBits = 24
	psnMask = 1<<psnBits - 1
	psnBase = 1 << 32 // added to a first number, so that what lies before it is not negative
)

// unwrap returns the number that has the low 24 bits of psn and lies nearest to near.
func unwrap(near uint64, psn uint32) uint64 {
	d := int32((psn-uint32(near))<<(32-psnBits)) >> (32 - psnBits)
	return near + uint64(int64(d))
}
