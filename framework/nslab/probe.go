//go:build linux

package nslab

import (
	"errors"
	"fmt"
	"os"

	"github.com/stellarlab/stellarlab/cni/rail"
	"github.com/stellarlab/stellarlab/datapath/hostmem"
	"github.com/stellarlab/stellarlab/datapath/impair"
	"github.com/stellarlab/stellarlab/datapath/sock"
	"golang.org/x/sys/unix"
)

// Ability is one thing that this machine can do, or not.
type Ability struct {
	Name   string `json:"name"`
	Needed bool   `json:"needed"` // the namespace lab does not work without it
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"` // what to do where it is missing
}

// Probe asks what this machine can do. It makes nothing that outlives the call.
func Probe() []Ability {
	root := ability("root", true, privileged(), "run as root, or give the program CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF and CAP_IPC_LOCK: sudo stellarlab …")
	if !root.OK {
		root.Detail = fmt.Sprintf("user id %d lacks the privileges for network namespaces", os.Geteuid())
		return []Ability{root}
	}
	watched, why, err := hostmem.Probe()
	if err == nil && !watched {
		err = why
	}
	faultfd := ability("userfaultfd", false, err, "sysctl vm.unprivileged_userfaultfd=1, or a kernel of 5.15 or later; without it absent pages are known from the lab's own record only")
	return []Ability{
		root,
		ability("packet sockets", true, sock.Probe(), "a kernel with raw IPv4 sockets, and CAP_NET_RAW"),
		ability("eBPF at tcx", true, impair.Probe(), "a kernel of 6.6 or later with CONFIG_BPF_SYSCALL and CONFIG_NET_XGRESS, and CAP_BPF"),
		faultfd,
		ability("locked memory", true, lockable(), "ulimit -l unlimited, or CAP_IPC_LOCK"),
		ability("multipath hash seed", false, seedable(), "a kernel of 6.11 or later; without it the split over equal paths does not repeat from run to run"),
	}
}

func ability(name string, needed bool, err error, remedy string) Ability {
	a := Ability{Name: name, Needed: needed, OK: err == nil, Detail: "there"}
	if err != nil {
		a.Detail, a.Remedy = err.Error(), remedy
	}
	return a
}

// privileged says whether a network namespace could be made, by the capability that it takes.
func privileged() error {
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var d [2]unix.CapUserData
	if err := unix.Capget(&h, &d[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	for _, c := range []uint{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_RAW} {
		if d[c/32].Effective&(1<<(c%32)) == 0 {
			return errors.New("capabilities are missing")
		}
	}
	return nil
}

// lockable says whether a block can be locked in memory.
func lockable() error {
	b, err := unix.Mmap(-1, 0, 2<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	err = unix.Mlock(b)
	return errors.Join(err, unix.Munmap(b))
}

func seedable() error {
	if !rail.HashSeed() {
		return errors.New("this kernel has no net.ipv4.fib_multipath_hash_seed")
	}
	return nil
}
