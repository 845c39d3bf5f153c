//go:build linux

package impair

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
)

// Rehash makes a switch hash packets by their ports and not by a value that the sending socket left on
// them: connected sockets leave their own, which survives veth and namespaces and sends all their source
// ports down one path.
type Rehash struct {
	program *ebpf.Program
	link    link.Link
}

// AttachRehash puts the program on the ingress of the switch's host port with index ifindex in the network
// namespace of the calling thread.
func AttachRehash(ifindex int) (*Rehash, error) {
	p, err := load("stl_rehash", asm.Instructions{
		asm.FnSetHashInvalid.Call(),
		asm.Mov.Imm(asm.R0, verdictNext),
		asm.Return(),
	})
	if err != nil {
		return nil, err
	}
	l, err := link.AttachTCX(link.TCXOptions{Interface: ifindex, Program: p, Attach: ebpf.AttachTCXIngress})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("attach rehash to interface %d: %w", ifindex, err), p.Close())
	}
	return &Rehash{program: p, link: l}, nil
}

// Close detaches the program. Closing twice is success.
func (r *Rehash) Close() error { return errors.Join(r.link.Close(), r.program.Close()) }
