//go:build linux

package impair_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/stellarlab/stellarlab/datapath/fabric"
)

// BenchmarkProgram measures what the program adds to a packet: one thread sends a packet of 1 KiB and takes it
// out of the socket at the other end, so that all the work in between is on its own time. Chunks of 500 packets
// alternate between no program, the program without layers, and with 1 and 16 layers that never act. The
// figures are nanoseconds per packet, the lowest chunk of each, which is the one that least disturbed.
func BenchmarkProgram(b *testing.B) {
	p := newPair(b)
	k := p.packet(1)
	k.Payload.Len, k.MessageLen = 1024, 1024
	k.Payload.Bytes = make([]byte, 1024)
	packet := k.Append(nil)
	to := &unix.SockaddrInet4{Addr: [4]byte{byte(p.dst >> 24), byte(p.dst >> 16), byte(p.dst >> 8), byte(p.dst)}}
	in := make([]byte, 9000)
	chunk := func() time.Duration {
		start := time.Now()
		for range 500 {
			if err := unix.Sendto(p.tx, packet, 0, to); err != nil {
				b.Fatal(err)
			}
			if _, _, err := unix.Recvfrom(p.rx, in, 0); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(start) / 500
	}
	best := map[int]time.Duration{}
	keep := func(layers int, d time.Duration) {
		if old, ok := best[layers]; !ok || d < old {
			best[layers] = d
		}
	}
	for b.Loop() {
		keep(-1, chunk())
		d := p.attach()
		keep(0, chunk())
		for i := range 16 {
			if _, err := d.Lay(fabric.Layer{Loss: 1e-12, Key: 1}); err != nil {
				b.Fatal(err)
			}
			if i == 0 || i == 15 {
				keep(i+1, chunk())
			}
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(best[-1].Nanoseconds()), "bare-ns/packet")
	for n, name := range map[int]string{0: "empty", 1: "one", 16: "sixteen"} {
		b.ReportMetric(float64((best[n] - best[-1]).Nanoseconds()), name+"-added-ns/packet")
	}
}
