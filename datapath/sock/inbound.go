//go:build linux

package sock

import (
	"encoding/binary"
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/event"
)

const (
	headroom = 256 // bytes of a packet beside its payload, at most
	control  = 64  // bytes of ancillary data per packet
)

// inbound is the memory that recvmmsg fills.
type inbound struct {
	local uint32
	msgs  []mmsghdr
	iovs  []unix.Iovec
	from  []unix.RawSockaddrInet4
	ctl   [][control]byte
	bufs  []byte
	size  int // bytes of each buffer
	p     wire.Packet
}

func newInbound(cfg *Config) *inbound {
	n := cfg.Batch
	addr := cfg.Addr.As4()
	in := &inbound{
		local: binary.BigEndian.Uint32(addr[:]),
		msgs:  make([]mmsghdr, n),
		iovs:  make([]unix.Iovec, n),
		from:  make([]unix.RawSockaddrInet4, n),
		ctl:   make([][control]byte, n),
		size:  int(cfg.MTU) + headroom,
	}
	in.bufs = make([]byte, n*in.size)
	for i := range in.msgs {
		h := &in.msgs[i].hdr
		in.iovs[i].Base = &in.bufs[i*in.size]
		in.iovs[i].SetLen(in.size)
		h.Iov = &in.iovs[i]
		h.SetIovlen(1)
		h.Name = (*byte)(unsafe.Pointer(&in.from[i]))
		h.Control = &in.ctl[i][0]
		in.arm(i)
	}
	return in
}

// arm undoes what the kernel wrote into message i.
func (in *inbound) arm(i int) {
	h := &in.msgs[i].hdr
	h.Namelen = uint32(unsafe.Sizeof(in.from[i]))
	h.SetControllen(control)
	h.Flags = 0
}

// receive takes what the socket has, up to a batch, and hands it to the device.
func (l *Loop) receive() (n int, err error) {
	in := l.in
	n, err = messages(unix.SYS_RECVMMSG, l.sock.rx, in.msgs)
	if err != nil {
		if errors.Is(err, unix.EAGAIN) {
			return 0, nil
		}
		return 0, os.NewSyscallError("recvmmsg", err)
	}
	now := l.cfg.Clock.Now()
	for i := range n {
		m := &in.msgs[i]
		b := in.bufs[i*in.size:][:m.n]
		sport := binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&in.from[i].Port))[:])
		if m.hdr.Flags&unix.MSG_TRUNC != 0 {
			err = wire.ErrMalformed
		} else {
			err = wire.DecodeUDP(binary.BigEndian.Uint32(in.from[i].Addr[:]), in.local, sport, in.ecn(i), b, &in.p)
		}
		switch {
		case err == nil:
			l.dev.Receive(now, &in.p)
		case errors.Is(err, wire.ErrICRC):
			l.stats.rejected.Add(1)
			l.dev.Reject(now, event.RejectICRC)
		default:
			l.stats.rejected.Add(1)
			l.dev.Reject(now, event.RejectMalformed)
		}
		in.arm(i)
	}
	l.stats.received.Add(uint64(n))
	return n, nil
}

// ecn is the ECN field that came with message i.
func (in *inbound) ecn(i int) uint8 {
	const head = unix.SizeofCmsghdr
	if in.msgs[i].hdr.Controllen < head+1 {
		return 0
	}
	c := (*unix.Cmsghdr)(unsafe.Pointer(&in.ctl[i][0]))
	if c.Level != unix.IPPROTO_IP || c.Type != unix.IP_TOS {
		return 0
	}
	return in.ctl[i][head] & 3
}
