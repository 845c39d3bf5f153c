package oracle

import "github.com/stellarlab/stellarlab/internal/seed"

// Queues maps a requester's queue pair to its flow. It is learnt from FlowStart and read on every packet, so it
// is an open-addressed table without allocation or hashing function calls.
type Queues struct {
	keys  []uint64 // node+1 in the upper half, queue pair in the lower; 0: empty
	flows []int32
	used  int
}

// NewQueues returns a table that holds n queue pairs without growing.
func NewQueues(n int) *Queues {
	size := 16
	for size < 4*n {
		size *= 2
	}
	return &Queues{keys: make([]uint64, size), flows: make([]int32, size)}
}

// Set says that queue pair qp of node carries a flow.
func (q *Queues) Set(node int32, qp uint32, flow int32) {
	if 2*q.used >= len(q.keys) {
		q.grow()
	}
	i := q.find(node, qp)
	if q.keys[i] == 0 {
		q.keys[i] = key(node, qp)
		q.used++
	}
	q.flows[i] = flow
}

// Flow returns the flow of queue pair qp of node, or -1.
func (q *Queues) Flow(node int32, qp uint32) int32 {
	if i := q.find(node, qp); q.keys[i] != 0 {
		return q.flows[i]
	}
	return -1
}

func (q *Queues) find(node int32, qp uint32) uint64 {
	k, mask := key(node, qp), uint64(len(q.keys)-1)
	i := (k ^ k>>29) * seed.Golden >> 20 & mask
	for q.keys[i] != 0 && q.keys[i] != k {
		i = (i + 1) & mask
	}
	return i
}

func (q *Queues) grow() {
	old := *q
	*q = Queues{keys: make([]uint64, 2*len(old.keys)), flows: make([]int32, 2*len(old.flows))}
	for i, k := range old.keys {
		if k != 0 {
			q.Set(int32(k>>32)-1, uint32(k), old.flows[i])
		}
	}
}

func key(node int32, qp uint32) uint64 { return uint64(node+1)<<32 | uint64(qp) }
