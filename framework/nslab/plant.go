//go:build linux

package nslab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/stellarlab/stellarlab/cni/rail"
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/internal/netns"
	"github.com/stellarlab/stellarlab/internal/undo"
)

// plant is the kernel's side of a lab: a namespace per node, a veth pair per link, a route per host.
type plant struct {
	graph *fabric.Graph
	run   string
	log   *undo.Log
	nodes []*netns.NS
	turns map[fabric.NodeID]rail.Hop // hosts with several ports
	acts  []undo.ID                  // per node: the record of its namespace
}

// nameOf is the name of a node's namespace: run and node, so that two labs never meet.
func nameOf(run, node string) string { return netns.Prefix + run + "-" + node }

// opNetns is the operation of a namespace in the undo log; its identity is the name.
const opNetns = "netns"

// netnsArgs are the arguments of an opNetns record. Cookie is 0 in the record from before the namespace is made,
// when nobody knows it yet: then the name, which holds the run's id, is the identity.
type netnsArgs struct {
	Cookie uint64 `json:"cookie"`
}

// build makes everything, each act recorded before it. On an error everything that was made is removed again.
func (p *plant) build(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, p.remove())
		}
	}()
	for i := range p.graph.Nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.node(&p.graph.Nodes[i]); err != nil {
			return err
		}
	}
	for i := range p.graph.Links {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, b := p.ends(fabric.LinkID(i))
		if err := rail.Create(a, b); err != nil {
			return err
		}
	}
	p.turns = map[fabric.NodeID]rail.Hop{}
	for h := range fabric.NodeID(p.graph.Hosts()) {
		if len(p.graph.Ports(h)) < 2 {
			continue
		}
		if p.turns[h], err = rail.Turn(p.nodes[h]); err != nil {
			return err
		}
	}
	for n := range fabric.NodeID(len(p.graph.Nodes)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.routes(n); err != nil {
			return err
		}
	}
	return p.ready(ctx)
}

// ready waits until every end of every link carries packets.
func (p *plant) ready(ctx context.Context) error {
	for i := range 2 * len(p.graph.Links) {
		if err := ctx.Err(); err != nil {
			return err
		}
		end, _ := p.endOf(fabric.Dir(i))
		if err := rail.Ready(end); err != nil {
			return err
		}
	}
	return nil
}

// node makes the namespace of one node.
func (p *plant) node(n *fabric.Node) error {
	name := nameOf(p.run, n.Name)
	// One that has the name already is somebody else's. It must not get into the log, from which it would be removed.
	if _, err := os.Lstat(filepath.Join(netns.Dir, name)); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("namespace %s: %w", name, errors.Join(os.ErrExist, err))
	}
	before, err := p.log.Record(opNetns, name, netnsArgs{})
	if err != nil {
		return err
	}
	p.acts = append(p.acts, before)
	ns, err := netns.Create(name)
	if err != nil {
		return err
	}
	p.nodes = append(p.nodes, ns)
	known, err := p.log.Record(opNetns, name, netnsArgs{ns.Cookie})
	if err != nil {
		return err
	}
	p.acts[len(p.acts)-1] = known
	if err := p.log.Done(before); err != nil {
		return err
	}
	if err := rail.Prepare(ns, n.Seed); err != nil {
		return err
	}
	if n.Host() {
		return rail.Address(ns, ip(n.Addr))
	}
	return nil
}

// ends describes the two ends of a link. Each is named after the node at its other end.
func (p *plant) ends(l fabric.LinkID) (a, b rail.End) {
	k := &p.graph.Links[l]
	return p.end(k.A, k.B, l, 1), p.end(k.B, k.A, l, 2)
}

func (p *plant) end(at, peer fabric.NodeID, l fabric.LinkID, side byte) rail.End {
	return rail.End{
		NS: p.nodes[at], Name: p.graph.Nodes[peer].Name, MAC: mac(l, side), Peer: hop(l, 3-side),
	}
}

// endOf is the end of direction d at its sender.
func (p *plant) endOf(d fabric.Dir) (end rail.End, peer net.HardwareAddr) {
	a, b := p.ends(d.Link())
	if d%2 == 0 {
		return a, b.MAC
	}
	return b, a.MAC
}

// mac is the hardware address of one end of a link: locally administered, of this lab alone.
func mac(l fabric.LinkID, side byte) net.HardwareAddr {
	return net.HardwareAddr{0x02, 0x53, side, byte(l >> 16), byte(l >> 8), byte(l)}
}

// hop is the address by which the other end of a link knows this side: link-local, never on the wire.
func hop(l fabric.LinkID, side byte) net.IP {
	n := uint32(l)*4 + uint32(side)
	return net.IPv4(169, 254, byte(n>>8), byte(n)).To4()
}

// maxLinks is how many links have addresses for their next hops.
const maxLinks = 1 << 14

func ip(a uint32) net.IP { return net.IPv4(byte(a>>24), byte(a>>16), byte(a>>8), byte(a)).To4() }

// routes makes, or makes again, the routes of one node to every other host.
func (p *plant) routes(n fabric.NodeID) error {
	var src net.IP
	if p.graph.Nodes[n].Host() {
		src = ip(p.graph.Nodes[n].Addr)
	}
	ports := p.graph.Ports(n)
	for h := range fabric.NodeID(p.graph.Hosts()) {
		if h == n {
			continue
		}
		var hops []rail.Hop
		for _, i := range p.graph.NextHops(n, h) {
			end, _ := p.endOf(ports[i].Out)
			hops = append(hops, rail.Hop{Link: end.Name, Via: end.Peer})
		}
		if turn, ok := p.turns[n]; ok {
			if err := rail.RouteIn(p.nodes[n], rail.TurnTable, ip(p.graph.Nodes[h].Addr), hops, nil); err != nil {
				return err
			}
			hops = []rail.Hop{turn}
		}
		if err := rail.Route(p.nodes[n], ip(p.graph.Nodes[h].Addr), hops, src); err != nil {
			return err
		}
	}
	return nil
}

// remove removes every namespace, and with it all that is in it. What could not be removed is in the error.
func (p *plant) remove() error {
	var errs []error
	for _, ns := range p.nodes {
		errs = append(errs, ns.Close())
	}
	for i, id := range p.acts {
		name := nameOf(p.run, p.graph.Nodes[i].Name)
		var cookie uint64
		if i < len(p.nodes) {
			cookie = p.nodes[i].Cookie
		}
		if err := deleteNetns(name, cookie); err != nil && !errors.Is(err, undo.ErrGone) {
			errs = append(errs, leftover{"netns", name, p.run, err})
			continue
		}
		errs = append(errs, p.log.Done(id))
	}
	p.nodes, p.acts = nil, nil
	return errors.Join(errs...)
}

// leftover is residue: a thing of the run that could not be removed.
type leftover struct {
	kind, identity, owner string
	err                   error
}

// Error says what is left and why.
func (l leftover) Error() string {
	return fmt.Sprintf("%s %s is left: %v; stellarlab gc removes it", l.kind, l.identity, l.err)
}

// Unwrap returns the cause.
func (l leftover) Unwrap() error { return l.err }

// Left says what is left, for the verdict.
func (l leftover) Left() (kind, identity, owner string) { return l.kind, l.identity, l.owner }
