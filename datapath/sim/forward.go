package sim

import (
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/event"
)

// routes is the next hops of every node towards every host, flat: equal sets are kept once.
type routes struct {
	hosts int32
	sets  []int32 // [node·hosts + host]: offset in outs of the set; its length comes first
	outs  []int32 // length, directions…
	salts []uint64
}

func newRoutes(g *fabric.Graph) routes {
	r := routes{hosts: int32(g.Hosts()), salts: make([]uint64, len(g.Nodes))}
	r.sets = make([]int32, len(g.Nodes)*g.Hosts())
	known := map[string]int32{}
	var name []byte
	for n := range g.Nodes {
		r.salts[n] = fabric.Salt(&g.Nodes[n])
		ports := g.Ports(fabric.NodeID(n))
		for h := range g.Hosts() {
			next := g.NextHops(fabric.NodeID(n), fabric.NodeID(h))
			name = name[:0]
			for _, p := range next {
				out := ports[p].Out
				name = append(name, byte(out>>24), byte(out>>16), byte(out>>8), byte(out))
			}
			at, ok := known[string(name)]
			if !ok {
				at = int32(len(r.outs))
				known[string(name)] = at
				r.outs = append(r.outs, int32(len(next)))
				for _, p := range next {
					r.outs = append(r.outs, int32(ports[p].Out))
				}
			}
			r.sets[n*g.Hosts()+h] = at
		}
	}
	return r
}

// next returns the directions that lead from a node towards a host.
func (r *routes) next(node, host int32) []int32 {
	at := r.sets[int(node)*int(r.hosts)+int(host)]
	return r.outs[at+1 : at+1+r.outs[at]]
}

// forward sends a packet on from the switch at the end of direction in.
func (s *Sim) forward(in int32, f *flight) {
	d := &s.dirs[in]
	if f.dst < 0 {
		s.drop(in, event.DropNoRoute, f.packet, f.size, nil)
		return
	}
	next := s.routes.next(d.to, f.dst)
	out := s.choose(d.to, next, f.digest)
	if out >= 0 {
		d.ledger.Delivered++
		s.offer(out, f)
		return
	}
	var by *fabric.Laid // the fault that took the way is credited as if the packet had entered it
	if len(next) > 0 {
		by = s.dirs[next[0]].stack.Cut(f.identity, &s.dirs[next[0]^1].stack).By
	}
	s.drop(in, event.DropNoRoute, f.packet, f.size, by)
}

// choose picks the direction that a packet leaves a node by. A port without carrier leaves the set at once, at
// this node alone: nobody else learns. It returns -1 when none is left.
func (s *Sim) choose(node int32, next []int32, digest uint64) int32 {
	if len(next) == 1 && !s.dirs[next[0]].down {
		return next[0]
	}
	if len(next) == 0 {
		return -1
	}
	hash := fabric.ECMP(digest, s.routes.salts[node])
	if out := next[fabric.Pick(hash, len(next))]; !s.dirs[out].down {
		return out
	}
	live := 0
	for _, out := range next {
		if !s.dirs[out].down {
			live++
		}
	}
	if live == 0 {
		return -1
	}
	k := fabric.Repick(hash, live)
	for _, out := range next {
		if s.dirs[out].down {
			continue
		}
		if k == 0 {
			return out
		}
		k--
	}
	return -1
}
