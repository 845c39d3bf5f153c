//go:build linux

package sock

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// patience is how long a loop waits for room in the send buffer before it gives the rest of a batch up. The
// packets cannot wait for the next turn: their payload is guest memory, and a completion that comes in
// meanwhile lets the application write there.
const patience = 2 * time.Millisecond

// A packet is sent from pieces: headers, payload where it lies, padding and ICRC.
const (
	pieces  = 3
	tailLen = 3 + 4
)

// outbound is the memory that sendmmsg reads, payloads excepted.
type outbound struct {
	msgs  []mmsghdr
	iovs  []unix.Iovec
	to    []unix.RawSockaddrInet4
	heads [][wire.MaxHeaders]byte
	tails [][tailLen]byte
	p     wire.Packet
}

func newOutbound(cfg *Config) *outbound {
	n := cfg.Batch
	out := &outbound{
		msgs:  make([]mmsghdr, n),
		iovs:  make([]unix.Iovec, pieces*n),
		to:    make([]unix.RawSockaddrInet4, n),
		heads: make([][wire.MaxHeaders]byte, n),
		tails: make([][tailLen]byte, n),
	}
	for i := range out.msgs {
		out.to[i].Family = unix.AF_INET
		h := &out.msgs[i].hdr
		h.Name = (*byte)(unsafe.Pointer(&out.to[i]))
		h.Namelen = uint32(unsafe.Sizeof(out.to[i]))
		h.Iov = &out.iovs[pieces*i]
	}
	return out
}

// load makes out.p message i. Nothing of its payload is copied.
func (out *outbound) load(i int) {
	p := &out.p
	head := p.AppendHeaders(out.heads[i][:0])
	payload := p.Payload.Bytes
	if payload == nil && p.Payload.Len > 0 {
		payload = p.Payload.AppendTo(nil)
	}
	// The ICRC is always at the end of its buffer, so that what is before it stays zero.
	tail := out.tails[i][tailLen-(wire.Size(p)-len(head)-len(payload)):]
	padding := tail[:len(tail)-4]
	icrc := crc32.Update(wire.ICRC(head, payload), crc32.IEEETable, padding)
	binary.LittleEndian.PutUint32(tail[len(padding):], icrc)
	binary.BigEndian.PutUint32(out.to[i].Addr[:], p.Dst)
	v := out.iovs[pieces*i:][:0:pieces]
	for _, b := range [pieces][]byte{head, payload, tail} {
		if len(b) > 0 {
			e := unix.Iovec{Base: unsafe.SliceData(b)}
			e.SetLen(len(b))
			v = append(v, e)
		}
	}
	out.msgs[i].hdr.SetIovlen(len(v))
}

// send pulls packets from the device, up to a batch, and gives them to the kernel.
func (l *Loop) send(now vtime.Time) (n int, err error) {
	out := l.out
	for n < len(out.msgs) && l.dev.Next(now, &out.p) {
		out.load(n)
		n++
	}
	waited := false
	for left := out.msgs[:n]; len(left) > 0; {
		k, err := messages(unix.SYS_SENDMMSG, l.sock.tx, left)
		l.stats.sent.Add(uint64(k))
		left = left[k:]
		switch {
		case err == nil:
		case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ENOBUFS):
			if waited {
				l.stats.full.Add(uint64(len(left)))
				return n, nil
			}
			waited = true
			if err := wait([]unix.PollFd{{Fd: int32(l.sock.tx), Events: unix.POLLOUT}}, patience); err != nil {
				return n, err
			}
		case lost(err):
			l.stats.unroutable.Add(1)
			left = left[1:]
		default:
			return n, err
		}
	}
	return n, nil
}

// lost says that the kernel has no way for one packet now: its port is down, or its route has gone. To the
// device that is a packet lost like any other.
func lost(err error) bool {
	for _, e := range [...]unix.Errno{unix.ENETUNREACH, unix.EHOSTUNREACH, unix.ENETDOWN, unix.EPERM, unix.ENODEV} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
