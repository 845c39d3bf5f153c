package oracle

import (
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// Targets maps an address in a host's guest memory to the slot of the flow that owns it, by one table look-up,
// from the layout of the flows and from nothing that a device says. Slots begin on page boundaries and share no page
// (host.Layout), so a page is all that the table need tell apart.
type Targets struct {
	base  []mem.GPA   // by host: the first address of the table
	pages [][]int32   // by host: slot index + 1 per page; 0: no target
	first []int32     // by flow: its slot 0
	start []mem.GPA   // by flow: the address of its slot 0
	flow  []int32     // by slot
	at    []mem.GPA   // by slot: its first address
	sizes []host.Flow // the flows, for their strides
}

// NewTargets returns the table for flows over hosts hosts.
func NewTargets(flows []host.Flow, hosts int) *Targets {
	t := &Targets{
		base: make([]mem.GPA, hosts), pages: make([][]int32, hosts),
		first: make([]int32, len(flows)), sizes: flows,
	}
	_, t.start = host.Layout(flows)
	end := make([]mem.GPA, hosts)
	for i := range flows {
		to, gpa := flows[i].To, t.start[i]
		if end[to] == 0 || gpa < t.base[to] {
			t.base[to] = gpa
		}
		end[to] = max(end[to], gpa+mem.GPA(flows[i].Buffer()))
	}
	for h := range hosts {
		t.pages[h] = make([]int32, uint64(end[h]-t.base[h])/mem.Page)
	}
	for i := range flows {
		f := &flows[i]
		t.first[i] = int32(len(t.flow))
		for s := range f.Slots() {
			at := t.start[i] + mem.GPA(s*f.Stride())
			t.flow = append(t.flow, int32(i))
			t.at = append(t.at, at)
			p := uint64(at-t.base[f.To]) / mem.Page
			for n := range f.Stride() / mem.Page {
				t.pages[f.To][p+n] = int32(len(t.flow))
			}
		}
	}
	return t
}

// Slot returns the index of the slot at gpa of a host, or -1 where no flow has a target.
func (t *Targets) Slot(node int32, gpa mem.GPA) int32 {
	if uint(node) >= uint(len(t.pages)) {
		return -1
	}
	p := uint64(gpa-t.base[node]) / mem.Page
	if p >= uint64(len(t.pages[node])) {
		return -1
	}
	return t.pages[node][p] - 1
}

// Flow returns the flow that a slot belongs to, as its position in the list.
func (t *Targets) Flow(slot int32) int32 { return t.flow[slot] }

// At returns the first address of a slot.
func (t *Targets) At(slot int32) mem.GPA { return t.at[slot] }

// Slots returns how many slots there are.
func (t *Targets) Slots() int { return len(t.flow) }

// Of returns the slot that message msn of a flow goes through.
func (t *Targets) Of(flow int32, msn uint64) int32 {
	return t.first[flow] + int32(msn%t.sizes[flow].Slots())
}
