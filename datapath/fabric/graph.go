// Package fabric is the shape of a network: nodes, links, routes, and the fold of what faults lay over a
// link. It moves no packet: the simulator and the namespace lab do, from the same graph.
package fabric

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// NodeID indexes Graph.Nodes. Hosts come first, in order of their number.
type NodeID int32

// LinkID indexes Graph.Links.
type LinkID int32

// Dir is one direction of a link: 2·LinkID for A to B, 2·LinkID+1 for B to A.
type Dir int32

// Link returns the link that d is a direction of.
func (d Dir) Link() LinkID { return LinkID(d / 2) }

// Tier orders nodes from the bottom; links are named lower tier first.
type Tier uint8

// The tiers.
const (
	TierHost Tier = iota
	TierLeaf
	TierSpine
)

// Node is a host or a switch.
type Node struct {
	ID   NodeID
	Name string // host0, leaf1, spine3, path2
	Tier Tier
	Addr uint32 // IPv4, host byte order; hosts: the RDMA address
	Seed uint32 // ECMP hash seed; switches only
}

// Host says that the node is an endpoint.
func (n *Node) Host() bool { return n.Tier == TierHost }

// Profile is what a link is made of.
type Profile struct {
	Rate  uint64        // bit/s; 0: 100 Gb/s
	Delay time.Duration // propagation, one way
	Queue uint64        // bytes per egress port
	ECN   ECN
}

// ECN is the marking rule of an egress queue: no mark below Min, probability rising linearly to
// Probability at Max, 1 above it. All zero: never marks.
type ECN struct {
	Min, Max    uint64  // bytes queued
	Probability float64 // in [0,1], at Max
}

// Link joins two nodes; its name is A's and B's names with a dash.
type Link struct {
	ID   LinkID
	Name string
	A, B NodeID // A is of the lower tier
	Profile
}

// Graph is a built topology. It is immutable once built and may be shared.
type Graph struct {
	Nodes []Node
	Links []Link

	hosts  int
	byName map[string]NodeID
	links  map[string]LinkID
	ports  [][]Port
	routes [][]int32 // [node][host] -> index into sets
	sets   [][]int32 // distinct sets of next hops, as indices into ports of a node: few, whatever the size of the graph
}

// Port is one end of a link, seen from its node.
type Port struct {
	Out  Dir    // the direction that leaves by this port
	Peer NodeID // the node at the other end
}

// Hosts returns how many hosts the graph has; they are nodes 0 … Hosts()-1.
func (g *Graph) Hosts() int { return g.hosts }

// Node returns the node called name.
func (g *Graph) Node(name string) (NodeID, bool) { n, ok := g.byName[name]; return n, ok }

// Link returns the link called name.
func (g *Graph) Link(name string) (LinkID, bool) { l, ok := g.links[name]; return l, ok }

// From returns the node that sends on d; To the node that receives.
func (g *Graph) From(d Dir) NodeID {
	if d%2 == 0 {
		return g.Links[d.Link()].A
	}
	return g.Links[d.Link()].B
}

// To returns the node that receives on d.
func (g *Graph) To(d Dir) NodeID { return g.From(d ^ 1) }

// DirName returns the name of a direction as a scenario writes it: "leaf0-to-spine3".
func (g *Graph) DirName(d Dir) string {
	return g.Nodes[g.From(d)].Name + "-to-" + g.Nodes[g.To(d)].Name
}

// Ports returns the ports of a node, in order of their links. The caller must not change the slice.
func (g *Graph) Ports(n NodeID) []Port { return g.ports[n] }

// NextHops returns the ports of node n (indices into Ports) that lie on a shortest path to host h, in order.
func (g *Graph) NextHops(n, h NodeID) []int32 { return g.sets[g.routes[n][h]] }

// Builder collects nodes and links; hosts must be added before switches.
type Builder struct {
	g   Graph
	err error
}

// Add adds a node and returns its id.
func (b *Builder) Add(name string, tier Tier, seed uint32) NodeID {
	id := NodeID(len(b.g.Nodes))
	if tier == TierHost {
		if int(id) != b.g.hosts {
			b.fail(fmt.Errorf("fabric: host %s added after a switch", name))
		}
		b.g.hosts++
	}
	b.g.Nodes = append(b.g.Nodes, Node{ID: id, Name: name, Tier: tier, Seed: seed, Addr: Address(id)})
	return id
}

// Connect adds a link; a must not be of a higher tier than c.
func (b *Builder) Connect(a, c NodeID, p Profile) LinkID {
	id := LinkID(len(b.g.Links))
	na, nc := &b.g.Nodes[a], &b.g.Nodes[c]
	if na.Tier > nc.Tier || a == c {
		b.fail(fmt.Errorf("fabric: link %s-%s must name the lower tier first", na.Name, nc.Name))
	}
	b.g.Links = append(b.g.Links, Link{ID: id, Name: na.Name + "-" + nc.Name, A: a, B: c, Profile: p})
	return id
}

func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Build computes names and routes. It fails on a duplicate name, a misplaced tier or an unreachable host.
func (b *Builder) Build() (*Graph, error) {
	g := &b.g
	g.byName = make(map[string]NodeID, len(g.Nodes))
	g.links = make(map[string]LinkID, len(g.Links))
	g.ports = make([][]Port, len(g.Nodes))
	for i := range g.Nodes {
		if _, dup := g.byName[g.Nodes[i].Name]; dup {
			b.fail(fmt.Errorf("fabric: two nodes are called %s", g.Nodes[i].Name))
		}
		g.byName[g.Nodes[i].Name] = NodeID(i)
	}
	for i := range g.Links {
		l := &g.Links[i]
		if _, dup := g.links[l.Name]; dup {
			b.fail(fmt.Errorf("fabric: two links are called %s", l.Name))
		}
		g.links[l.Name] = l.ID
		g.ports[l.A] = append(g.ports[l.A], Port{Out: Dir(2 * i), Peer: l.B})
		g.ports[l.B] = append(g.ports[l.B], Port{Out: Dir(2*i + 1), Peer: l.A})
	}
	g.routes = make([][]int32, len(g.Nodes))
	for i := range g.routes {
		g.routes[i] = make([]int32, g.hosts)
	}
	known := map[string]int32{}
	for h := range g.hosts {
		if err := g.routeTo(NodeID(h), known); err != nil {
			b.fail(err)
		}
	}
	if b.err != nil {
		return nil, b.err
	}
	return g, nil
}

// routeTo fills the next hops of every node towards host h: breadth first from h, hosts do not forward. known
// finds a set of next hops by its text.
func (g *Graph) routeTo(h NodeID, known map[string]int32) error {
	dist := make([]int32, len(g.Nodes))
	for i := range dist {
		dist[i] = -1
	}
	dist[h] = 0
	queue := []NodeID{h}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if n != h && g.Nodes[n].Host() {
			continue
		}
		for _, p := range g.ports[n] {
			if dist[p.Peer] < 0 {
				dist[p.Peer] = dist[n] + 1
				queue = append(queue, p.Peer)
			}
		}
	}
	var next []int32
	var text []byte
	for n := range g.Nodes {
		if dist[n] < 0 {
			return fmt.Errorf("fabric: %s cannot reach %s", g.Nodes[n].Name, g.Nodes[h].Name)
		}
		next, text = next[:0], text[:0]
		for i, p := range g.ports[n] {
			if dist[p.Peer] == dist[n]-1 && (p.Peer == h || !g.Nodes[p.Peer].Host()) {
				next = append(next, int32(i))
				text = binary.AppendUvarint(text, uint64(i))
			}
		}
		set, ok := known[string(text)]
		if !ok {
			set = int32(len(g.sets))
			known[string(text)] = set
			g.sets = append(g.sets, slices.Clone(next))
		}
		g.routes[n][h] = set
	}
	return nil
}

// Address returns the IPv4 address of a node: 10.x.y.1 with x.y its number.
func Address(n NodeID) uint32 { return 10<<24 | uint32(n)<<8&0xffff00 | 1 }
