//go:build linux

package sock_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/sock"
	"github.com/stellarlab/stellarlab/internal/event"
)

// BenchmarkStream measures a loop pair against the kernel alone, in alternation over the same veth pair in
// the same run: b.N packets of 4 KiB by the loops (headers, ICRC computed and checked, bytes moved from guest
// memory to guest memory), then as many by one bare sendmmsg and one bare recvmmsg thread in batches of 64,
// which look at nothing. Gb/s count payload; ratio is loops to bare; cpu-s/GB is processor time of the whole
// process per gigabyte by the loops.
func BenchmarkStream(b *testing.B) {
	const size, chunk = 4096, 50_000
	r := newRig(b, size, 512, 16)
	if err := r.mem[0].Fill(0, 16*block, 7); err != nil {
		b.Fatal(err)
	}
	bare := newBare(b, r.pair, size)
	r.stream(b, 1000)
	var loops, bares, cpu time.Duration
	b.ResetTimer()
	for left := b.N; left > 0; left -= chunk {
		n := min(left, chunk)
		c, start := used(b), time.Now()
		r.stream(b, uint32(n))
		loops += time.Since(start)
		cpu += used(b) - c
		b.StopTimer()
		bares += bare.run(b, n)
		b.StartTimer()
	}
	b.StopTimer()
	if bad, _, err := r.mem[1].Check(0, r.dev[1].span, 7); b.N > 16*block/size && (bad != 0 || err != nil) {
		b.Errorf("%d bytes differ, %v", bad, err)
	}
	gb := float64(b.N) * size / 1e9
	b.ReportMetric(gb*8/loops.Seconds(), "Gb/s")
	b.ReportMetric(gb*8/bares.Seconds(), "bare-Gb/s")
	b.ReportMetric(bares.Seconds()/loops.Seconds(), "ratio")
	b.ReportMetric(cpu.Seconds()/gb, "cpu-s/GB")
	for i, l := range r.loop {
		s, err := l.Stats()
		if err != nil || s.Rejected+s.Full+s.Unroutable+s.Overflow > 0 {
			b.Errorf("loop %d: %+v, %v", i, s, err)
		}
	}
}

// BenchmarkWrites measures verified goodput: vStellar devices, 64 writes of 1 MiB an operation from one to the other, 16
// outstanding, every byte filled before and compared after, in packets of 4 KiB over 128 paths, against as
// many bytes by the bare threads of BenchmarkStream, in alternation over the same veth pair in the same run.
func BenchmarkWrites(b *testing.B) {
	const size, chunk = 1 << 20, 64
	h := newHosts(b, []host.Flow{{From: 0, To: 1, Size: size, Depth: 16, Count: chunk}})
	back := sock.Room(2)
	defer back()
	bare := newBare(b, h.pair, 4096)
	h.run(b)
	var hosts, bares, cpu time.Duration
	messages := uint64(chunk)
	for b.Loop() {
		c, start := used(b), time.Now()
		h.run(b)
		hosts += time.Since(start)
		cpu += used(b) - c
		messages += chunk
		bares += bare.run(b, chunk*size/4096)
	}
	h.clean(b, messages, size)
	gb := float64(messages-chunk) * size / 1e9
	b.ReportMetric(gb*8/hosts.Seconds(), "Gb/s")
	b.ReportMetric(gb*8/bares.Seconds(), "bare-Gb/s")
	b.ReportMetric(bares.Seconds()/hosts.Seconds(), "ratio")
	b.ReportMetric(cpu.Seconds()/gb, "cpu-s/GB")
	b.ReportMetric(float64(h.events[0].count(event.Timeout)), "timeouts")
	b.ReportMetric(float64(h.events[0].count(event.PathLost)), "losses")
}

// used is the processor time of this process so far.
func used(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// bare is the yardstick: a raw sender and a UDP receiver, nothing between them and the kernel.
type bare struct {
	tx, rx     int
	send, recv []header
	got        atomic.Uint64
}

type header struct {
	hdr unix.Msghdr
	n   uint32
}

func newBare(b *testing.B, p *pair, size int) *bare {
	b.Helper()
	y := &bare{tx: -1, rx: -1}
	open := func(i, kind, proto, opt int) func() error {
		return func() error {
			fd, err := unix.Socket(unix.AF_INET, kind, proto)
			if err != nil {
				return err
			}
			b.Cleanup(func() { _ = unix.Close(fd) })
			if i == 0 {
				y.tx = fd
			} else {
				y.rx = fd
				to := unix.SockaddrInet4{Port: 4792, Addr: addrs[1].As4()}
				err = unix.Bind(fd, &to)
			}
			return errors.Join(err, unix.SetsockoptInt(fd, unix.SOL_SOCKET, opt, 64<<20))
		}
	}
	if err := errors.Join(
		p.within(0)(open(0, unix.SOCK_RAW, unix.IPPROTO_RAW, unix.SO_SNDBUFFORCE)),
		p.within(1)(open(1, unix.SOCK_DGRAM, 0, unix.SO_RCVBUFFORCE)),
	); err != nil {
		b.Fatal(err)
	}
	packet := make([]byte, 28+size)
	n := len(packet)
	src, dst := addrs[0].As4(), addrs[1].As4()
	copy(packet, []byte{0x45, 2, byte(n >> 8), byte(n), 0, 0, 0x40, 0, 64, 17, 0, 0})
	copy(packet[12:], src[:])
	copy(packet[16:], dst[:])
	n -= 20
	copy(packet[20:], []byte{0xc0, 0, 4792 >> 8, 4792 & 0xff, byte(n >> 8), byte(n), 0, 0})
	to := &unix.RawSockaddrInet4{Family: unix.AF_INET, Addr: dst}
	for range 64 {
		for _, v := range []*[]header{&y.send, &y.recv} {
			buf := packet
			if v == &y.recv {
				buf = make([]byte, 9216)
			}
			iov := &unix.Iovec{Base: &buf[0]}
			iov.SetLen(len(buf))
			h := header{hdr: unix.Msghdr{Iov: iov}}
			h.hdr.SetIovlen(1)
			if v == &y.send {
				h.hdr.Name, h.hdr.Namelen = (*byte)(unsafe.Pointer(to)), uint32(unsafe.Sizeof(*to))
			}
			*v = append(*v, h)
		}
	}
	return y
}

// run moves n packets, at most 2048 ahead of the receiver, and returns how long it took. The kernel likes to
// put two threads that never wake each other on one processor: each has its own here.
func (y *bare) run(b *testing.B, n int) time.Duration {
	b.Helper()
	y.got.Store(0)
	failed := make(chan error, 2)
	start := time.Now()
	go func() { failed <- y.receive(n) }()
	go func() { failed <- y.transmit(n) }()
	if err := errors.Join(<-failed, <-failed); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// claim gives the goroutine a thread of its own, on processor n where there are as many.
func claim(n int) {
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	var set unix.CPUSet
	set.Set(n)
	_ = unix.SchedSetaffinity(0, &set) // without it the yardstick is slower, and the ratio says so
}

func (y *bare) receive(n int) error {
	claim(1)
	for got := 0; got < n; {
		k, _, e := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(y.rx), uintptr(unsafe.Pointer(&y.recv[0])), 64, unix.MSG_DONTWAIT, 0, 0)
		switch e {
		case 0:
			got += int(k)
			y.got.Store(uint64(got))
			if k < 64 {
				nap()
			}
		case unix.EAGAIN:
			nap()
		case unix.EINTR:
		default:
			return fmt.Errorf("recvmmsg: %w", e)
		}
	}
	return nil
}

func (y *bare) transmit(n int) error {
	claim(0)
	start := time.Now()
	for sent := 0; sent < n; {
		if sent-int(y.got.Load()) > 2048-64 {
			nap()
			if time.Since(start) > 30*time.Second {
				return fmt.Errorf("%d of %d packets arrived", y.got.Load(), n)
			}
			continue
		}
		k, _, e := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(y.tx), uintptr(unsafe.Pointer(&y.send[0])), uintptr(min(64, n-sent)), 0, 0, 0)
		if e != 0 && e != unix.EINTR {
			return fmt.Errorf("sendmmsg: %w", e)
		}
		if e == 0 {
			sent += int(k)
		}
	}
	return nil
}

// nap sleeps 50 µs.
func nap() {
	ts := unix.NsecToTimespec(50_000)
	_, _ = unix.Ppoll(nil, &ts, nil)
}
