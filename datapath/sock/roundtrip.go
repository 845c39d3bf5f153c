//go:build linux

package sock

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// End is one end of a measurement: an address, and how to get into its namespace (see Config.Within).
type End struct {
	Addr   netip.Addr
	Within func(f func() error) error
}

// echoPort is not RoCEv2's: an impairment lets a probe pass and counts it apart.
const echoPort = 4790

// patient is how long a probe is waited for before it counts as lost.
const patient = 100 * time.Millisecond

// RoundTrips sends n probes of 64 bytes from a to b and back, one after another, and returns how long they took;
// both ends block until a packet comes, as idle loops do. It is for an idle lab, before its loops start: the
// base round trip of congestion control, and part of the report.
func RoundTrips(a, b End, n int) (Lateness, error) {
	var fds [2]int
	for i, e := range []End{a, b} {
		fd, err := echoSocket(e)
		if err != nil {
			return Lateness{}, fmt.Errorf("round trips from %v to %v: %w", a.Addr, b.Addr, err)
		}
		defer unix.Close(fd)
		fds[i] = fd
	}
	bell, err := newDoorbell()
	if err != nil {
		return Lateness{}, err
	}
	defer bell.close()
	echoed := make(chan error, 1)
	go func() { own(); echoed <- echo(fds[1], bell) }()
	took, probed := make([]time.Duration, 0, n), make(chan error, 1)
	go func() {
		own()
		for range n {
			d, err := bounce(fds[0], b.Addr)
			if err != nil {
				probed <- err
				return
			}
			took = append(took, d)
		}
		probed <- nil
	}()
	err = <-probed
	bell.ring()
	if err = errors.Join(err, <-echoed); err != nil {
		return Lateness{}, fmt.Errorf("round trips from %v to %v: %w", a.Addr, b.Addr, err)
	}
	return lateness(took), nil
}

// echoSocket opens a UDP socket at an end.
func echoSocket(e End) (fd int, err error) {
	open := func() (err error) {
		fd, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_UDP)
		if err != nil {
			return os.NewSyscallError("socket", err)
		}
		if err := unix.Bind(fd, &unix.SockaddrInet4{Port: echoPort, Addr: e.Addr.As4()}); err != nil {
			return errors.Join(os.NewSyscallError("bind", err), unix.Close(fd))
		}
		return nil
	}
	if e.Within == nil {
		err = open()
	} else {
		err = e.Within(open)
	}
	return fd, err
}

// echo sends what comes back where it came from, until the bell rings.
func echo(fd int, bell doorbell) error {
	var b [64]byte
	fds := [2]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(bell.fd), Events: unix.POLLIN}}
	for {
		n, from, err := unix.Recvfrom(fd, b[:], 0)
		switch {
		case err == nil:
			if err := unix.Sendto(fd, b[:n], 0, from); err != nil {
				return os.NewSyscallError("sendto", err)
			}
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			fds[0].Revents, fds[1].Revents = 0, 0
			if err := wait(fds[:], -1); err != nil {
				return os.NewSyscallError("ppoll", err)
			}
			if fds[1].Revents != 0 {
				return nil
			}
		default:
			return os.NewSyscallError("recvfrom", err)
		}
	}
}

// bounce sends one probe and waits for it to come back.
func bounce(fd int, to netip.Addr) (time.Duration, error) {
	var b [64]byte
	start := time.Now()
	if err := unix.Sendto(fd, b[:], 0, &unix.SockaddrInet4{Port: echoPort, Addr: to.As4()}); err != nil {
		return 0, os.NewSyscallError("sendto", err)
	}
	for {
		_, _, err := unix.Recvfrom(fd, b[:], 0)
		spent := time.Since(start)
		switch {
		case err == nil:
			return spent, nil
		case errors.Is(err, unix.EINTR):
		case !errors.Is(err, unix.EAGAIN):
			return 0, os.NewSyscallError("recvfrom", err)
		case spent > patient:
			return 0, fmt.Errorf("no answer within %v", patient)
		default:
			if err := wait([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, patient-spent); err != nil {
				return 0, os.NewSyscallError("ppoll", err)
			}
		}
	}
}
