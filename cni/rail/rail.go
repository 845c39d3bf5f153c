//go:build linux

// Package rail makes the veth rails that join namespaces, with what the data path needs of them: MTU, known
// neighbours, and routes over next hops.
// It allocates no address and knows no container runtime: the lab and the plugin tell it what to make.
package rail

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/containernetworking/plugins/pkg/utils/sysctl"
	"github.com/stellarlab/stellarlab/internal/netns"
	"github.com/vishvananda/netlink"
)

// MTU is what a rail is made with: the largest payload of 8 KiB with all headers fits.
const MTU = 9216

// maxName is the longest name of an interface, bytes.
const maxName = 15

// End is one end of a rail.
type End struct {
	NS   *netns.NS
	Name string           // of the interface, at most 15 bytes
	MAC  net.HardwareAddr // nil: the kernel chooses, and no neighbour can be known
	Peer net.IP           // the address by which the other end is a next hop here; nil: none
}

// Create makes a rail and sets both ends up. The pair is made inside the two namespaces at once: nothing appears
// anywhere else. On an error nothing is left.
func Create(a, b End) error {
	for _, e := range []End{a, b} {
		if e.Name == "" || len(e.Name) > maxName {
			return fmt.Errorf("rail: interface name %q: want 1 to %d bytes", e.Name, maxName)
		}
	}
	err := a.NS.Do(func() error {
		veth := &netlink.Veth{
			LinkAttrs: netlink.LinkAttrs{Name: a.Name, MTU: MTU, HardwareAddr: a.MAC, TxQLen: 1000},
			PeerName:  b.Name, PeerHardwareAddr: b.MAC, PeerNamespace: netlink.NsFd(b.NS.FD()), PeerMTU: MTU,
		}
		if err := netlink.LinkAdd(veth); err != nil {
			return fmt.Errorf("rail %s in %s to %s in %s: %w", a.Name, a.NS.Name, b.Name, b.NS.Name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := errors.Join(Up(a, b.MAC), Up(b, a.MAC)); err != nil {
		return errors.Join(err, Remove(a))
	}
	return nil
}

// Up sets one end up and makes its peer known: the neighbour is permanent, so that no packet ever waits for one.
func Up(e End, peer net.HardwareAddr) error {
	return e.NS.Do(func() error {
		l, err := netlink.LinkByName(e.Name)
		if err != nil {
			return fmt.Errorf("rail end %s in %s: %w", e.Name, e.NS.Name, err)
		}
		if err := netlink.LinkSetUp(l); err != nil {
			return fmt.Errorf("set %s in %s up: %w", e.Name, e.NS.Name, err)
		}
		if e.Peer == nil || peer == nil {
			return nil
		}
		err = netlink.NeighSet(&netlink.Neigh{
			LinkIndex: l.Attrs().Index, State: netlink.NUD_PERMANENT, IP: e.Peer, HardwareAddr: peer,
		})
		if err != nil {
			return fmt.Errorf("neighbour of %s in %s: %w", e.Name, e.NS.Name, err)
		}
		return nil
	})
}

// readyLimit is how long Ready waits. The kernel notices changes of carrier in batches, at worst one a second.
const readyLimit = 10 * time.Second

// Ready waits until the kernel has put an end into service: between LinkSetUp and that, it drops what is sent there
// and counts nothing. The other end must be up too.
func Ready(e End) error {
	return e.NS.Do(func() error {
		for begin := time.Now(); ; time.Sleep(time.Millisecond) {
			l, err := netlink.LinkByName(e.Name)
			if err != nil {
				return fmt.Errorf("rail end %s in %s: %w", e.Name, e.NS.Name, err)
			}
			if l.Attrs().OperState == netlink.OperUp {
				return nil
			}
			if time.Since(begin) > readyLimit {
				return fmt.Errorf("rail end %s in %s is %v after %v: want up", e.Name, e.NS.Name, l.Attrs().OperState, readyLimit)
			}
		}
	})
}

// Down sets one end down: its peer loses the carrier.
func Down(e End) error {
	return e.NS.Do(func() error {
		l, err := netlink.LinkByName(e.Name)
		if err != nil {
			return fmt.Errorf("rail end %s in %s: %w", e.Name, e.NS.Name, err)
		}
		if err := netlink.LinkSetDown(l); err != nil {
			return fmt.Errorf("set %s in %s down: %w", e.Name, e.NS.Name, err)
		}
		return nil
	})
}

// Remove removes a rail by one of its ends. One that is gone is success.
func Remove(e End) error {
	return e.NS.Do(func() error {
		l, err := netlink.LinkByName(e.Name)
		var gone netlink.LinkNotFoundError
		if errors.As(err, &gone) {
			return nil
		}
		if err != nil {
			return err
		}
		return netlink.LinkDel(l)
	})
}

// Prepare makes a namespace fit for rails: forwarding on, no reverse-path filter, no IPv6 chatter in the counters,
// links without carrier leave the routes, and equal-cost routes hash the ports. seed fixes the hash where the
// kernel has a seed for it; 0 leaves the kernel's. It must be called before the first rail is made.
func Prepare(ns *netns.NS, seed uint32) error {
	return ns.Do(func() error {
		settings := [][2]string{
			{"net/ipv6/conf/all/disable_ipv6", "1"},
			{"net/ipv6/conf/default/disable_ipv6", "1"},
			{"net/ipv4/ip_forward", "1"},
			{"net/ipv4/conf/all/rp_filter", "0"},
			{"net/ipv4/conf/default/rp_filter", "0"},
			{"net/ipv4/conf/all/ignore_routes_with_linkdown", "1"},
			{"net/ipv4/conf/default/ignore_routes_with_linkdown", "1"},
			{"net/ipv4/conf/all/send_redirects", "0"},
			{"net/ipv4/conf/default/send_redirects", "0"},
			{"net/ipv4/fib_multipath_hash_policy", "1"},
		}
		if seed != 0 && HashSeed() {
			settings = append(settings, [2]string{"net/ipv4/fib_multipath_hash_seed", fmt.Sprint(seed)})
		}
		for _, s := range settings {
			if _, err := sysctl.Sysctl(s[0], s[1]); err != nil && s[0][:8] != "net/ipv6" {
				return fmt.Errorf("set %s in %s: %w", s[0], ns.Name, err)
			}
		}
		lo, err := netlink.LinkByName("lo")
		if err != nil {
			return err
		}
		return netlink.LinkSetUp(lo)
	})
}

// HashSeed says that the kernel lets the seed of its equal-cost hash be set (Linux 6.11).
func HashSeed() bool {
	_, err := sysctl.Sysctl("net/ipv4/fib_multipath_hash_seed")
	return err == nil
}

// Address gives a namespace an address of its own, on its loopback: reachable over every rail.
func Address(ns *netns.NS, ip net.IP) error {
	return ns.Do(func() error {
		lo, err := netlink.LinkByName("lo")
		if err != nil {
			return err
		}
		return netlink.AddrReplace(lo, &netlink.Addr{IPNet: host(ip), Scope: 0})
	})
}

// Hop is one next hop of a route.
type Hop struct {
	Link string // name of the interface
	Via  net.IP // End.Peer there
}

// Route replaces the route to one address in a namespace: over one next hop, or over several of equal cost. src is
// the address that packets of this namespace's own carry; nil: the kernel's choice.
func Route(ns *netns.NS, to net.IP, hops []Hop, src net.IP) error {
	return RouteIn(ns, 0, to, hops, src)
}

// RouteIn is Route in a table of its own; 0 is the main one.
func RouteIn(ns *netns.NS, table int, to net.IP, hops []Hop, src net.IP) error {
	return ns.Do(func() error {
		r := &netlink.Route{Dst: host(to), Src: src, Table: table}
		for _, h := range hops {
			l, err := netlink.LinkByName(h.Link)
			if err != nil {
				return fmt.Errorf("route to %v in %s over %s: %w", to, ns.Name, h.Link, err)
			}
			if l.Attrs().Flags&net.FlagUp == 0 {
				continue // the kernel takes no next hop that is down; Route is called again when it is up
			}
			r.MultiPath = append(r.MultiPath, &netlink.NexthopInfo{
				LinkIndex: l.Attrs().Index, Gw: h.Via, Flags: int(netlink.FLAG_ONLINK),
			})
		}
		switch len(r.MultiPath) {
		case 0:
			return nil
		case 1:
			r.LinkIndex, r.Gw, r.Flags, r.MultiPath = r.MultiPath[0].LinkIndex, r.MultiPath[0].Gw, int(netlink.FLAG_ONLINK), nil
		}
		if err := netlink.RouteReplace(r); err != nil {
			return fmt.Errorf("route to %v in %s: %w", to, ns.Name, err)
		}
		return nil
	})
}

// host is the prefix of one address.
func host(ip net.IP) *net.IPNet { return &net.IPNet{IP: ip, Mask: net.CIDRMask(32, 32)} }
