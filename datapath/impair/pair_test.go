//go:build linux

package impair_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/stellarlab/stellarlab/datapath/impair"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// pair is two namespaces joined by a veth pair, a raw socket in the first, a UDP socket in the second, and
// a direction from the first to the second.
type pair struct {
	t       testing.TB
	ns      [2]netns.NsHandle
	index   [2]int // of the interface
	tx, rx  int
	dir     *impair.Direction
	src     uint32
	dst     uint32
	scratch []byte
}

// newPair makes a pair, without a direction, that goes with the test.
func newPair(t testing.TB) *pair {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: network namespaces")
	}
	p := &pair{t: t, tx: -1, rx: -1, src: 0x0a420001, dst: 0x0a420002}
	done := make(chan struct{})
	go func() { // on a thread of its own, which dies with the goroutine: nothing leaks into the runtime's pool
		defer close(done)
		runtime.LockOSThread()
		for i := range p.ns {
			h, err := netns.New()
			if err != nil {
				t.Errorf("needs root: new network namespace: %v", err)
				return
			}
			p.ns[i] = h
		}
		p.wire()
	}()
	<-done
	t.Cleanup(func() {
		if p.dir != nil {
			if err := p.dir.Close(); err != nil {
				t.Error(err)
			}
		}
		for _, fd := range []int{p.tx, p.rx, int(p.ns[0]), int(p.ns[1])} {
			if fd > 0 {
				_ = unix.Close(fd)
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return p
}

// wire joins the namespaces and opens the sockets; the thread is in the second one.
func (p *pair) wire() {
	fatal := func(err error) bool {
		if err != nil {
			p.t.Error(err)
		}
		return err != nil
	}
	veth := &netlink.Veth{
		LinkAttrs: netlink.LinkAttrs{Name: "stlb", MTU: 9000}, PeerName: "stla",
		PeerNamespace: netlink.NsFd(p.ns[0]),
	}
	if fatal(netlink.LinkAdd(veth)) {
		return
	}
	addrs := [2]uint32{p.src, p.dst}
	hw := [2]net.HardwareAddr{}
	for _, i := range []int{0, 1} {
		if fatal(netns.Set(p.ns[i])) {
			return
		}
		link, err := netlink.LinkByName([]string{"stla", "stlb"}[i])
		if fatal(err) {
			return
		}
		p.index[i] = link.Attrs().Index
		hw[i] = link.Attrs().HardwareAddr
		var ip [4]byte
		binary.BigEndian.PutUint32(ip[:], addrs[i])
		a := &netlink.Addr{IPNet: &net.IPNet{IP: ip[:], Mask: net.CIDRMask(30, 32)}}
		lo, err := netlink.LinkByIndex(1)
		if fatal(errors.Join(err, netlink.AddrAdd(link, a), netlink.LinkSetUp(link), netlink.LinkSetUp(lo))) {
			return
		}
	}
	// The thread is in the second namespace: its socket first.
	var err error
	if p.rx, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK, 0); fatal(err) {
		return
	}
	if fatal(unix.SetsockoptInt(p.rx, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20)) ||
		fatal(unix.Bind(p.rx, &unix.SockaddrInet4{Port: 4791})) || fatal(carrier("stlb")) || fatal(netns.Set(p.ns[0])) || fatal(carrier("stla")) {
		return
	}
	// The neighbour is known, so that no packet waits for an answer and is dropped by a full queue.
	var ip [4]byte
	binary.BigEndian.PutUint32(ip[:], p.dst)
	if fatal(netlink.NeighAdd(&netlink.Neigh{
		LinkIndex: p.index[0], State: netlink.NUD_PERMANENT, IP: ip[:], HardwareAddr: hw[1],
	})) {
		return
	}
	if p.tx, err = unix.Socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_RAW); fatal(err) {
		return
	}
	fatal(netns.Set(p.ns[1]))
}

// within runs f on a thread inside namespace i.
func (p *pair) within(i int, f func() error) error {
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

// attach puts the impairment on, or skips the test where the kernel cannot.
func (p *pair) attach() *impair.Direction {
	p.t.Helper()
	err := p.within(1, func() (err error) { p.dir, err = impair.Attach(p.index[1]); return err })
	if err != nil {
		if probe := impair.Probe(); probe != nil {
			p.t.Skipf("needs eBPF: %v", probe)
		}
		p.t.Fatal(err)
	}
	return p.dir
}

// packet returns packet i of the test: data and acknowledgements in turn, over several queue pairs and paths.
func (p *pair) packet(i int) *wire.Packet {
	k := &wire.Packet{
		Src: p.src, Dst: p.dst, Entropy: uint16(49152 + i%128), ECN: 2, Opcode: wire.WriteOnly,
		DestQP: uint32(0xabcd00 + i%5), Path: uint16(i % 131), PathSeq: uint32(i) * 2654435761, PSN: uint32(i) & 0xffffff,
	}
	if i%3 == 0 {
		k.Opcode = wire.Acknowledge
		return k
	}
	k.VA, k.MessageLen, k.Flags = 4096, uint32(64+i%64), wire.First|wire.Last
	k.Payload = mem.Payload{Len: k.MessageLen, Bytes: mem.Payload{Len: k.MessageLen, Tag: uint64(i) + 1}.AppendTo(nil)}
	return k
}

// send sends b, an IPv4 datagram.
func (p *pair) send(b []byte) {
	p.t.Helper()
	var to unix.SockaddrInet4
	binary.BigEndian.PutUint32(to.Addr[:], p.dst)
	if err := unix.Sendto(p.tx, b, 0, &to); err != nil {
		p.t.Fatal(err)
	}
}

// arrived is what came through.
type arrived struct {
	whole  map[uint32]bool // by PathSeq
	spoilt int             // refused by the ICRC
}

// burst sends the packets numbered from up to to, waits until the direction has had them all, and returns what
// came through.
func (p *pair) burst(from, to int) arrived {
	p.t.Helper()
	got := arrived{whole: map[uint32]bool{}}
	before := totals(p.t, p.dir)
	for i := from; i < to; i++ {
		p.scratch = p.packet(i).Append(p.scratch[:0])
		p.send(p.scratch)
		if i%64 == 0 {
			p.drain(&got)
		}
	}
	p.until(func(now impair.Totals) bool {
		p.drain(&got)
		return now.Packets-before.Packets == uint64(to-from) &&
			uint64(len(got.whole)+got.spoilt) == now.Delivered-before.Delivered
	})
	return got
}

// until waits for the direction's counts to be as wanted: the kernel may deliver after a send has returned. A
// test that waits in vain goes on, and finds what is wrong.
func (p *pair) until(wanted func(impair.Totals) bool) {
	p.t.Helper()
	for limit := time.Now().Add(5 * time.Second); !wanted(totals(p.t, p.dir)) && time.Now().Before(limit); {
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(p.rx), Events: unix.POLLIN}}, 1)
	}
}

// drain takes what the socket holds now.
func (p *pair) drain(got *arrived) {
	p.t.Helper()
	b := make([]byte, 9000)
	for {
		n, from, err := unix.Recvfrom(p.rx, b, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.EAGAIN) {
			return
		}
		if err != nil {
			p.t.Fatal(err)
		}
		a := from.(*unix.SockaddrInet4)
		var k wire.Packet
		err = wire.DecodeUDP(binary.BigEndian.Uint32(a.Addr[:]), p.dst, uint16(a.Port), 2, b[:n], &k)
		if err == nil {
			got.whole[k.PathSeq] = true
			continue
		}
		if !errors.Is(err, wire.ErrICRC) && !errors.Is(err, wire.ErrMalformed) {
			p.t.Fatal(err)
		}
		got.spoilt++
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
