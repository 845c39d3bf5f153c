//go:build linux

package hostmem

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// From linux/userfaultfd.h; x/sys has none of them.
const (
	uffdAPI          = 0xaa
	uffdShmem        = 1 << 5 // feature: missing pages of shared memory
	uffdSigbus       = 1 << 7 // feature: a fault is an error, not a message
	uffdMissing      = 1 << 0
	uffdioAPI        = 0xc018aa3f
	uffdioRegister   = 0xc020aa00
	uffdUserModeOnly = 1
)

type uffdAPIArg struct{ api, features, ioctls uint64 }

type uffdRegisterArg struct{ start, len, mode, ioctls uint64 }

// watch registers data so that an access to a page that the memfd does not hold raises SIGBUS in the
// accessing thread, and EFAULT in a system call, instead of bringing a page of zeros. No handler is needed,
// and nobody blocks. The registration lasts as long as the returned descriptor.
func watch(data []byte) (fd int, err error) {
	r, _, e := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|unix.O_NONBLOCK|uffdUserModeOnly, 0, 0)
	if e == unix.EINVAL { // before Linux 5.11
		r, _, e = unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|unix.O_NONBLOCK, 0, 0)
	}
	if e != 0 {
		return -1, fmt.Errorf("userfaultfd: %w", e)
	}
	fd = int(r)
	api := uffdAPIArg{api: uffdAPI, features: uffdSigbus | uffdShmem}
	if err := ioctl(fd, uffdioAPI, unsafe.Pointer(&api)); err != nil {
		return -1, errors.Join(fmt.Errorf("userfaultfd with SIGBUS on shared memory: %w", err), unix.Close(fd))
	}
	reg := uffdRegisterArg{
		start: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data)))),
		len:   uint64(len(data)),
		mode:  uffdMissing,
	}
	if err := ioctl(fd, uffdioRegister, unsafe.Pointer(&reg)); err != nil {
		return -1, errors.Join(fmt.Errorf("userfaultfd register: %w", err), unix.Close(fd))
	}
	return fd, nil
}

// ioctl calls the kernel with a pointer to a plain struct.
func ioctl(fd int, request uintptr, arg unsafe.Pointer) error {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg)); e != 0 {
		return e
	}
	return nil
}
