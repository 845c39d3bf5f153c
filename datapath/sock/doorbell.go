//go:build linux

package sock

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// doorbell wakes a loop out of its wait.
type doorbell struct{ fd int }

func newDoorbell() (doorbell, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return doorbell{-1}, fmt.Errorf("eventfd: %w", err)
	}
	return doorbell{fd}, nil
}

// ring makes the descriptor readable. It cannot fail in a way that matters: a full counter is a rung bell.
func (b doorbell) ring() { _, _ = unix.Write(b.fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

// hush makes the descriptor unreadable again.
func (b doorbell) hush() {
	var n [8]byte
	_, _ = unix.Read(b.fd, n[:])
}

func (b doorbell) close() error { return unix.Close(b.fd) }
