//go:build linux

package impair

import "fmt"

// Probe tells whether Attach can work here, by attaching to the loopback interface of the calling thread's
// network namespace and detaching at once; the program passes everything. nil: it can. The error says what
// is missing.
func Probe() error {
	const loopback = 1
	d, err := Attach(loopback)
	if err != nil {
		return fmt.Errorf("eBPF at tcx ingress (Linux 6.6, CAP_BPF and CAP_NET_ADMIN): %w", err)
	}
	return d.Close()
}

// attached asks the kernel whether the program still sits on an interface, as the same program. d.mu is
// held.
func (d *Direction) attached() (bool, error) {
	info, err := d.link.Info()
	if err != nil {
		return false, fmt.Errorf("read impairment attachment: %w", err)
	}
	t := info.TCX()
	if t == nil || t.Ifindex == 0 {
		return false, nil // the interface has gone
	}
	p, err := d.program.Info()
	if err != nil {
		return false, fmt.Errorf("read impairment program: %w", err)
	}
	id, ok := p.ID()
	return ok && info.Program == id, nil
}
