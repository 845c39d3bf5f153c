//go:build linux

package sock_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// addrs are the ends of a pair.
var addrs = [2]netip.Addr{netip.MustParseAddr("10.66.0.1"), netip.MustParseAddr("10.66.0.2")}

// pair is two namespaces joined by a veth pair.
type pair struct {
	ns    [2]netns.NsHandle
	index [2]int // of the interfaces
}

// newPair makes a pair that goes with the test.
func newPair(t testing.TB) *pair {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: network namespaces")
	}
	p := &pair{ns: [2]netns.NsHandle{-1, -1}}
	t.Cleanup(func() {
		for _, h := range p.ns {
			if h >= 0 {
				_ = unix.Close(int(h))
			}
		}
	})
	done := make(chan error, 1)
	go func() { // on a thread of its own, which dies with the goroutine: nothing leaks into the runtime's pool
		runtime.LockOSThread()
		done <- p.build()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *pair) build() (err error) {
	for i := range p.ns {
		if p.ns[i], err = netns.New(); err != nil {
			return err
		}
	}
	if err := netlink.LinkAdd(&netlink.Veth{
		LinkAttrs: netlink.LinkAttrs{Name: "stl1", MTU: 9216}, PeerName: "stl0", PeerNamespace: netlink.NsFd(p.ns[0]),
	}); err != nil {
		return err
	}
	var hw [2]net.HardwareAddr
	for i, name := range []string{"stl0", "stl1"} {
		if err := netns.Set(p.ns[i]); err != nil {
			return err
		}
		link, err := netlink.LinkByName(name)
		if err != nil {
			return err
		}
		a := &netlink.Addr{IPNet: &net.IPNet{IP: addrs[i].AsSlice(), Mask: net.CIDRMask(30, 32)}}
		if err := errors.Join(netlink.LinkSetMTU(link, 9216), netlink.AddrAdd(link, a), netlink.LinkSetUp(link)); err != nil {
			return err
		}
		p.index[i], hw[i] = link.Attrs().Index, link.Attrs().HardwareAddr
	}
	for i := range p.ns {
		if err := netns.Set(p.ns[i]); err != nil {
			return err
		}
		if err := carrier([]string{"stl0", "stl1"}[i]); err != nil {
			return err
		}
		if err := netlink.NeighAdd(&netlink.Neigh{
			LinkIndex: p.index[i], State: netlink.NUD_PERMANENT, IP: addrs[1-i].AsSlice(), HardwareAddr: hw[1-i],
		}); err != nil {
			return err
		}
	}
	return nil
}

// within returns a function that runs another one on a thread inside namespace i.
func (p *pair) within(i int) func(func() error) error {
	return func(f func() error) error {
		done := make(chan error, 1)
		go func() {
			runtime.LockOSThread()
			if err := netns.Set(p.ns[i]); err != nil {
				done <- err
				return
			}
			done <- f()
		}()
		return <-done
	}
}

// carrier waits until the kernel sends through the link called name in this namespace. For a while after it was
// set up whatever is sent is dropped without a word.
func carrier(name string) error {
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); {
		link, err := netlink.LinkByName(name)
		if err != nil || link.Attrs().OperState == netlink.OperUp {
			return err
		}
		_, _ = unix.Poll(nil, 1)
	}
	return fmt.Errorf("%s is not up after 10 s", name)
}
