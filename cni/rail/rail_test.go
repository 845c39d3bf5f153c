//go:build linux

package rail_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/stellarlab/stellarlab/cni/rail"
	"github.com/stellarlab/stellarlab/internal/netns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

func fresh(t *testing.T, node string, seed uint32) *netns.NS {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: namespaces are made")
	}
	ns, err := netns.Create(fmt.Sprintf("stlr%d-%s", os.Getpid(), node))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(ns.Close(), netns.Delete(ns.Name, ns.Cookie)); err != nil {
			t.Error(err)
		}
	})
	if err := rail.Prepare(ns, seed); err != nil {
		t.Fatal(err)
	}
	return ns
}

var from, to = net.IPv4(10, 0, 1, 1).To4(), net.IPv4(10, 0, 2, 1).To4()

const rails = 4

// bundle joins two namespaces by rails of equal cost; to is an address of the second one. A third one, src, sends
// through the first: a raw socket's own lookup of a route knows no ports, only that of a forwarder does.
func bundle(t *testing.T, round int, seed uint32) (src, a *netns.NS, ends [rails][2]rail.End) {
	t.Helper()
	src = fresh(t, fmt.Sprintf("s%d", round), 0)
	a = fresh(t, fmt.Sprintf("a%d", round), seed)
	b := fresh(t, fmt.Sprintf("b%d", round), seed)
	first := rail.End{NS: src, Name: "up", MAC: net.HardwareAddr{2, 0, 0, 1, 0, 1}, Peer: net.IPv4(169, 254, 99, 2).To4()}
	last := rail.End{NS: a, Name: "host", MAC: net.HardwareAddr{2, 0, 0, 1, 0, 2}, Peer: net.IPv4(169, 254, 99, 1).To4()}
	if err := errors.Join(rail.Create(first, last), rail.Ready(first), rail.Ready(last)); err != nil {
		t.Fatal(err)
	}
	var hops []rail.Hop
	for i := range ends {
		end := func(ns *netns.NS, side, other byte) rail.End {
			return rail.End{
				NS: ns, Name: fmt.Sprintf("rail%d", i), MAC: net.HardwareAddr{2, 0, 0, 0, byte(i), side},
				Peer: net.IPv4(169, 254, byte(i), other).To4(),
			}
		}
		ends[i] = [2]rail.End{end(a, 1, 2), end(b, 2, 1)}
		if err := rail.Create(ends[i][0], ends[i][1]); err != nil {
			t.Fatal(err)
		}
		hops = append(hops, rail.Hop{Link: ends[i][0].Name, Via: ends[i][0].Peer})
	}
	for _, e := range ends {
		if err := errors.Join(rail.Ready(e[0]), rail.Ready(e[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(
		rail.Address(src, from), rail.Address(b, to), rail.Route(a, to, hops, nil),
		rail.Route(src, to, []rail.Hop{{Link: first.Name, Via: first.Peer}}, from),
	); err != nil {
		t.Fatal(err)
	}
	return src, a, ends
}

// send sends one packet of every one of 128 source ports.
func send(t *testing.T, ns *netns.NS) {
	t.Helper()
	err := ns.Do(func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_UDP)
		if err != nil {
			return err
		}
		defer unix.Close(fd) //nolint:errcheck // nothing is buffered
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_HDRINCL, 1); err != nil {
			return err
		}
		for port := range 128 {
			b := make([]byte, 28)
			b[0], b[3], b[8], b[9] = 0x45, 28, 64, unix.IPPROTO_UDP
			copy(b[12:], from)
			copy(b[16:], to)
			sport := 0xc000 + port
			b[20], b[21], b[22], b[23], b[25] = byte(sport>>8), byte(sport), 4791>>8, 4791&0xff, 8
			if err := unix.Sendto(fd, b, 0, &unix.SockaddrInet4{Addr: [4]byte(to)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// received reads how many packets came out of every rail.
func received(t *testing.T, ends [rails][2]rail.End) (n [rails]uint64) {
	t.Helper()
	for i, e := range ends {
		err := e[1].NS.Do(func() error {
			l, err := netlink.LinkByName(e[1].Name)
			if err == nil {
				n[i] = l.Attrs().Statistics.RxPackets
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func sum(n [rails]uint64) (s uint64) {
	for _, v := range n {
		s += v
	}
	return s
}

func TestNamesOfInterfaces(t *testing.T) {
	a := fresh(t, "n", 0)
	for _, name := range []string{"", "sixteen-letters-"} {
		if err := rail.Create(rail.End{NS: a, Name: name}, rail.End{NS: a, Name: "peer"}); err == nil {
			t.Errorf("%q was taken as the name of an interface", name)
		}
	}
}

func TestARailThatIsDownAndUpAgainForwards(t *testing.T) {
	src, a, ends := bundle(t, 0, 7)
	var hops []rail.Hop
	for _, e := range ends {
		hops = append(hops, rail.Hop{Link: e[0].Name, Via: e[0].Peer})
	}
	if err := rail.Down(ends[1][0]); err != nil {
		t.Fatal(err)
	}
	before := received(t, ends)
	send(t, src)
	during := received(t, ends)
	if during[1] != before[1] {
		t.Errorf("%d packets passed a rail that is down", during[1]-before[1])
	}
	if err := errors.Join(rail.Up(ends[1][0], ends[1][1].MAC), rail.Ready(ends[1][0]), rail.Ready(ends[1][1])); err != nil {
		t.Fatal(err)
	}
	if err := rail.Route(a, to, hops, nil); err != nil {
		t.Fatal(err)
	}
	send(t, src)
	after := received(t, ends)
	if after[1] == during[1] || sum(after)-sum(during) != 128 {
		t.Errorf("after the repair %v, before %v: want 128 more, some over every rail", after, during)
	}
	if err := errors.Join(rail.Remove(ends[0][0]), rail.Remove(ends[0][0])); err != nil {
		t.Errorf("remove twice: %v", err)
	}
}
