//go:build linux

package sock

import (
	"errors"
	"fmt"
	"net/netip"
)

// Probe tells whether a device's sockets can be opened here, by opening and closing them in the namespace of
// the calling thread. nil: they can. The error names what is missing.
func Probe() error {
	cfg := Config{Addr: netip.AddrFrom4([4]byte{127, 0, 0, 1})}.filled()
	s, err := openSockets(&cfg)
	if err != nil {
		return fmt.Errorf("device sockets: %w", err)
	}
	b, err := newDoorbell()
	if err != nil {
		return errors.Join(fmt.Errorf("device sockets: %w", err), s.close())
	}
	return errors.Join(s.close(), b.close())
}
