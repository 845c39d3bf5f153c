//go:build linux

// Package nslab is the namespace lab: hosts and switches as network namespaces, links as veth pairs, the kernel's
// own forwarding between them, and real memory under every device.
// It imposes no rate and no delay: it runs at the machine's speed, and says how late that was.
package nslab
