// Package hostmem is the memory of an emulated guest on a real kernel: one memfd, whose pages are absent,
// present or pinned, watched by userfaultfd so that a DMA to an absent page fails instead of reading zeros.
// It decides nothing: pvdma says what to pin, a fault says what to evict, hostmem does it and counts.
package hostmem
