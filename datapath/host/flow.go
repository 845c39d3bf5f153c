package host

import "github.com/stellarlab/stellarlab/internal/mem"

// page is the alignment of a slot, bytes.
const page = mem.Page

// Stride is the distance between two slots of a flow's buffers, in bytes.
func (f *Flow) Stride() uint64 { return (uint64(f.Size) + page - 1) &^ (page - 1) }

// Slots is the number of slots of a flow's buffers.
func (f *Flow) Slots() uint64 { return uint64(max(f.Depth, 1)) }

// Buffer is the size of either buffer of a flow, in bytes; never zero, so that it can be registered.
func (f *Flow) Buffer() uint64 { return max(f.Stride()*f.Slots(), page) }

// Layout gives every flow its source and target buffer: consecutive in the guest memory of its host, in
// order of the list, from 1 MiB up and one page apart, so that a write one byte too far hits no neighbour.
func Layout(flows []Flow) (source, target []mem.GPA) {
	next := map[int32]mem.GPA{}
	take := func(host int32, n uint64) mem.GPA {
		if _, ok := next[host]; !ok {
			next[host] = 1 << 20
		}
		at := next[host]
		next[host] = at + mem.GPA(n) + page
		return at
	}
	for i := range flows {
		source = append(source, take(flows[i].From, flows[i].Buffer()))
		target = append(target, take(flows[i].To, flows[i].Buffer()))
	}
	return source, target
}
