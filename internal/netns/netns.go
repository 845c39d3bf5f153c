//go:build linux

// Package netns makes, enters and removes network namespaces, with the thread discipline that this takes in Go.
// It knows no interface and no route: cni/rail and the namespace lab put those in.
package netns

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Dir is where names of namespaces are bind-mounted, as ip-netns(8) has it.
const Dir = "/run/netns"

// Prefix begins the name of every namespace that this project makes.
const Prefix = "stl"

// ErrForeign is a namespace that is not the one that was recorded: it is left alone.
var ErrForeign = errors.New("namespace is not the one that was made here")

// NS is a network namespace that is held open. Its methods are safe for concurrent use, Close excepted.
type NS struct {
	Name   string
	Cookie uint64 // unique for this boot: inode numbers recur, cookies do not
	handle netns.NsHandle
}

// Create makes a namespace and binds it to a name, which must begin with Prefix and be free.
func Create(name string) (*NS, error) {
	if !strings.HasPrefix(name, Prefix) || strings.ContainsAny(name, "/\x00") {
		return nil, fmt.Errorf("namespace %q: want a plain name that begins with %s", name, Prefix)
	}
	var ns *NS
	err := onThread(func(back func() error) error {
		h, err := netns.NewNamed(name)
		if err != nil {
			return fmt.Errorf("create namespace %s: %w", name, err)
		}
		ns = &NS{Name: name, handle: h}
		if ns.Cookie, err = cookie(); err != nil {
			return errors.Join(err, back(), netns.DeleteNamed(name), h.Close())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ns, nil
}

// Open opens a namespace by its name.
func Open(name string) (*NS, error) {
	h, err := netns.GetFromName(name)
	if err != nil {
		return nil, fmt.Errorf("open namespace %s: %w", name, err)
	}
	ns := &NS{Name: name, handle: h}
	if err := ns.Do(func() (err error) { ns.Cookie, err = cookie(); return err }); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return ns, nil
}

// FD is the descriptor of the namespace; it is the NS's.
func (n *NS) FD() int { return int(n.handle) }

// Do runs f inside the namespace, on a thread that runs nothing else meanwhile. Sockets that f opens stay in the
// namespace and may be used from anywhere; goroutines that f starts are not in it.
func (n *NS) Do(f func() error) error {
	return onThread(func(func() error) error {
		if err := netns.Set(n.handle); err != nil {
			return fmt.Errorf("enter namespace %s: %w", n.Name, err)
		}
		return f()
	})
}

// Close lets go of the namespace; its name keeps it.
func (n *NS) Close() error { return n.handle.Close() }

// Delete removes the name of a namespace, if it still is the one with this cookie; 0 compares nothing. A name that
// is not there gives an error that wraps os.ErrNotExist. The kernel takes the namespace down when nothing holds it.
func Delete(name string, want uint64) error {
	path := filepath.Join(Dir, name)
	if _, err := os.Lstat(path); err != nil {
		return fmt.Errorf("namespace %s: %w", name, err)
	}
	if want != 0 {
		ns, err := Open(name)
		if err == nil {
			got := ns.Cookie
			if err := ns.Close(); err != nil {
				return err
			}
			if got != want {
				return fmt.Errorf("namespace %s: %w", name, ErrForeign)
			}
		} else if mounted(path) {
			return err
		}
	}
	// What NewNamed left half done is a plain file: there is nothing to unmount then.
	if err := unix.Unmount(path, unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("unmount namespace %s: %w", name, err)
	}
	return os.Remove(path)
}

// mounted says that a name is bound to a namespace.
func mounted(path string) bool {
	var s unix.Statfs_t
	return unix.Statfs(path, &s) == nil && s.Type == unix.NSFS_MAGIC
}

// List returns the names that begin with prefix.
func List(prefix string) ([]string, error) {
	entries, err := os.ReadDir(Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// onThread runs f on a thread of its own that is brought back to where it was. A thread that cannot be brought back
// is thrown away: it ends with its goroutine, because it stays locked.
func onThread(f func(back func() error) error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		home, err := netns.Get()
		if err != nil {
			result <- fmt.Errorf("current namespace: %w", err)
			return
		}
		back := func() error {
			if err := netns.Set(home); err != nil {
				return fmt.Errorf("return to the namespace before: %w", err)
			}
			return nil
		}
		err = guard(back, f)
		backErr := back()
		if backErr == nil {
			runtime.UnlockOSThread()
		}
		result <- errors.Join(err, backErr, home.Close())
	}()
	return <-result
}

// guard keeps a panic of f from ending the program before the thread is home.
func guard(back func() error, f func(func() error) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic inside a namespace: %v", r)
		}
	}()
	return f(back)
}

// soNetnsCookie is SO_NETNS_COOKIE (Linux 5.14).
const soNetnsCookie = 71

// cookie returns the cookie of the current thread's namespace.
func cookie() (uint64, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("namespace cookie: %w", err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	c, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, soNetnsCookie)
	if err != nil {
		return 0, fmt.Errorf("namespace cookie: %w", err)
	}
	return c, nil
}
