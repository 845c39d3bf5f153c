//go:build linux

package sock

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/stellarlab/stellarlab/datapath/wire"
)

// sockets are the two descriptors of a device.
type sockets struct {
	tx int // raw IP, header included, unconnected: switches then hash the real ports
	rx int // UDP on wire.Port
}

// openSockets opens both in the network namespace of the calling thread.
func openSockets(cfg *Config) (s sockets, err error) {
	s = sockets{tx: -1, rx: -1}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	const flags = unix.SOCK_NONBLOCK | unix.SOCK_CLOEXEC
	if s.tx, err = unix.Socket(unix.AF_INET, unix.SOCK_RAW|flags, unix.IPPROTO_RAW); err != nil {
		return s, fmt.Errorf("raw IP socket (CAP_NET_RAW): %w", err)
	}
	if err = enlarge(s.tx, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, cfg.Buffer); err != nil {
		return s, err
	}
	// A raw socket of IPPROTO_RAW receives nothing.
	if s.rx, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|flags, unix.IPPROTO_UDP); err != nil {
		return s, fmt.Errorf("UDP socket: %w", err)
	}
	if err = enlarge(s.rx, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, cfg.Buffer); err != nil {
		return s, err
	}
	if err = unix.SetsockoptInt(s.rx, unix.IPPROTO_IP, unix.IP_RECVTOS, 1); err != nil {
		return s, os.NewSyscallError("setsockopt IP_RECVTOS", err)
	}
	if err = unix.Bind(s.rx, &unix.SockaddrInet4{Port: wire.Port, Addr: cfg.Addr.As4()}); err != nil {
		return s, fmt.Errorf("bind UDP %v port %d: %w", cfg.Addr, wire.Port, err)
	}
	return s, nil
}

// enlarge sets a socket buffer beyond the system's limit where that is allowed, else up to it.
func enlarge(fd, force, option, n int) error {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, force, n) == nil {
		return nil
	}
	return os.NewSyscallError("setsockopt socket buffer", unix.SetsockoptInt(fd, unix.SOL_SOCKET, option, n))
}

// overflow is how many packets the kernel dropped because the receive buffer was full.
func (s *sockets) overflow() (uint64, error) {
	const drops = 8 // SK_MEMINFO_DROPS
	var info [9]uint32
	n := uint32(unsafe.Sizeof(info))
	_, _, e := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(s.rx), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&n)), 0)
	if e != 0 {
		return 0, os.NewSyscallError("getsockopt SO_MEMINFO", e)
	}
	return uint64(info[drops]), nil
}

func (s *sockets) close() error {
	var errs []error
	for _, fd := range []*int{&s.tx, &s.rx} {
		if *fd >= 0 {
			errs = append(errs, os.NewSyscallError("close", unix.Close(*fd)))
			*fd = -1
		}
	}
	return errors.Join(errs...)
}

// mmsghdr is struct mmsghdr of sendmmsg and recvmmsg.
type mmsghdr struct {
	hdr unix.Msghdr
	n   uint32 // bytes moved
}

// messages calls sendmmsg or recvmmsg, without waiting.
func messages(call uintptr, fd int, m []mmsghdr) (n int, err error) {
	for {
		r, _, e := unix.Syscall6(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(m))), uintptr(len(m)),
			unix.MSG_DONTWAIT, 0, 0)
		switch e {
		case 0:
			return int(r), nil
		case unix.EINTR:
			continue
		}
		return 0, e
	}
}
