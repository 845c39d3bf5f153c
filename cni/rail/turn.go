//go:build linux

package rail

import (
	"fmt"
	"net"

	"github.com/containernetworking/plugins/pkg/utils/sysctl"
	"github.com/stellarlab/stellarlab/internal/netns"
	"github.com/vishvananda/netlink"
)

// TurnTable is the routing table for packets that come out of a turn.
const TurnTable = 100

// Turn makes a rail from a namespace to itself, for a host with several ports: a raw socket's own lookup of a route
// knows no UDP ports and sends everything over one of them, while a forwarder hashes the ports. What is routed over
// the returned hop comes back in and is forwarded by TurnTable. It costs one TTL.
func Turn(ns *netns.NS) (Hop, error) {
	out := End{NS: ns, Name: "turn-out", MAC: net.HardwareAddr{2, 0x53, 3, 0, 0, 1}, Peer: net.IPv4(169, 254, 255, 254).To4()}
	in := End{NS: ns, Name: "turn-in", MAC: net.HardwareAddr{2, 0x53, 3, 0, 0, 2}}
	if err := Create(out, in); err != nil {
		return Hop{}, err
	}
	err := ns.Do(func() error {
		if _, err := sysctl.Sysctl("net/ipv4/conf/turn-in/accept_local", "1"); err != nil {
			return fmt.Errorf("accept own packets on turn-in in %s: %w", ns.Name, err)
		}
		r := netlink.NewRule()
		r.IifName, r.Table, r.Priority, r.Family = in.Name, TurnTable, 100, netlink.FAMILY_V4
		if err := netlink.RuleAdd(r); err != nil {
			return fmt.Errorf("rule for turn-in in %s: %w", ns.Name, err)
		}
		return nil
	})
	if err != nil {
		return Hop{}, err
	}
	if err := Ready(out); err != nil {
		return Hop{}, err
	}
	return Hop{Link: out.Name, Via: out.Peer}, Ready(in)
}
