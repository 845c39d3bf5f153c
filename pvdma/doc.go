// Package pvdma is on-demand pinning of guest memory: blocks that are pinned and mapped for DMA on first
// touch, the Map Cache in front of them, and the IOMMU's view (Stellar §5).
// It moves no byte and pins no page: what has to be pinned leaves as a request and comes back as an answer.
//
// The words: a block is the unit of pinning (2 MiB), GPA a guest physical address, HPA a host physical
// address; EPT is the CPU's translation of GPA, IOMMU the devices'. For every mapped block the two agree.
//
// A Domain belongs to one owner and is not safe for concurrent use.
package pvdma
