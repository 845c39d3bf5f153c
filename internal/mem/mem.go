// Package mem names the address spaces, keys and spans that the memory and translation models share.
// It holds no memory and no policy: those are pvdma, emtt and the drivers'.
package mem

import "fmt"

// VA is an address as a work request or a packet names it: virtual in the memory region's space.
type VA uint64

// GPA is a guest physical address, in bytes.
type GPA uint64

// HPA is a host physical address, in bytes. In namespaces it is an offset into the guest's memfd.
type HPA uint64

// Key is a local or remote memory key (lkey, rkey): index in the upper 24 bits, generation in the lower 8.
type Key uint32

// PD identifies a protection domain. Zero is no domain and matches nothing.
type PD uint32

// Kind is the type of memory that a region lies in (Stellar §6, memory type).
type Kind uint8

// The memory types of an eMTT entry.
const (
	Host Kind = iota
	GPU
)

// String returns "host" or "gpu".
func (k Kind) String() string {
	if k == GPU {
		return "gpu"
	}
	return "host"
}

// Access is a set of access rights, as ibv_access_flags.
type Access uint8

// Access rights of a memory region.
const (
	LocalWrite Access = 1 << iota
	RemoteWrite
	RemoteRead
	RemoteAtomic
)

// Span is a half-open range of guest physical memory.
type Span struct {
	Start GPA
	Len   uint64 // bytes
}

// End returns the first address after s. Check with Valid first: it wraps on a malformed span.
func (s Span) End() GPA { return s.Start + GPA(s.Len) }

// Valid says that s is not empty and does not wrap.
func (s Span) Valid() bool { return s.Len > 0 && s.Start+GPA(s.Len) > s.Start }

// Contains says that o lies in s whole.
func (s Span) Contains(o Span) bool {
	return o.Start >= s.Start && o.Len <= s.Len && uint64(o.Start-s.Start) <= s.Len-o.Len
}

// Overlaps says that s and o share a byte.
func (s Span) Overlaps(o Span) bool { return s.Start < o.End() && o.Start < s.End() }

// String prints s as [start,end).
func (s Span) String() string { return fmt.Sprintf("[%#x,%#x)", uint64(s.Start), uint64(s.End())) }

// Page is the size of a page of guest memory, in bytes: what is evicted at the least, and how the slots of a
// flow's buffers are aligned.
const Page = 4096

// Segment is a contiguous piece of host physical memory: what one DMA transaction may address.
type Segment struct {
	HPA  HPA
	Len  uint32 // bytes
	Kind Kind   // decides the route over PCIe (Stellar §6)
}
