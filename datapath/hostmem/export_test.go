//go:build linux

package hostmem

import "golang.org/x/sys/unix"

// Punch takes pages away without telling m.
func Punch(m *Memory, at, n uint64) error {
	return m.allocate(unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, at, n)
}
