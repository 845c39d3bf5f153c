//go:build linux

package impair

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
)

// Counter counts what leaves through one interface: the `sent` of the ledger. It is safe for concurrent
// use, and dies with the process.
type Counter struct {
	counts  *ebpf.Map
	program *ebpf.Program
	link    link.Link
}

// AttachCounter puts a counting program on the egress of the interface with index ifindex in the network
// namespace of the calling thread. Packets of PACKET_QDISC_BYPASS senders are not seen there.
func AttachCounter(ifindex int) (*Counter, error) {
	m, err := newMap("stl_sent", sizeSent)
	if err != nil {
		return nil, err
	}
	p, err := load("stl_sent", counting(m))
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	l, err := link.AttachTCX(link.TCXOptions{Interface: ifindex, Program: p, Attach: ebpf.AttachTCXEgress})
	if err != nil {
		err = fmt.Errorf("attach counter to interface %d: %w", ifindex, err)
		return nil, errors.Join(err, p.Close(), m.Close())
	}
	return &Counter{counts: m, program: p, link: l}, nil
}

// Sent reads the counts.
func (c *Counter) Sent() (s Sent, err error) {
	if err := c.counts.Lookup(uint32(0), &s); err != nil {
		return Sent{}, fmt.Errorf("read sent counters: %w", err)
	}
	return s, nil
}

// Close detaches the program. Closing twice is success.
func (c *Counter) Close() error {
	return errors.Join(c.link.Close(), c.program.Close(), c.counts.Close())
}

// counting counts and passes.
func counting(m *ebpf.Map) asm.Instructions {
	c := &code{}
	c.add(asm.LoadMapValue(asm.R9, m.FD(), 0))
	c.roce("other")
	c.count(asm.R9, 0)
	c.add(
		asm.LoadMem(asm.R1, asm.RFP, atLen, asm.DWord),
		asm.AddAtomic.Mem(asm.R9, asm.R1, asm.DWord, 8),
	)
	c.at("pass")
	c.add(asm.Mov.Imm(asm.R0, verdictNext), asm.Return())
	c.at("other")
	c.count(asm.R9, 16)
	c.add(asm.Ja.Label("pass"))
	return c.ins
}
