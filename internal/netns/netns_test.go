//go:build linux

package netns_test

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stellarlab/stellarlab/internal/netns"
	"golang.org/x/sys/unix"
)

// fresh makes a namespace that is gone after the test.
func fresh(t *testing.T, node string) *netns.NS {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: namespaces are made")
	}
	ns, err := netns.Create(fmt.Sprintf("stlt%d-%s", os.Getpid(), node))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ns.Close(); err != nil {
			t.Error(err)
		}
		if err := netns.Delete(ns.Name, ns.Cookie); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	return ns
}

// here is the namespace of the calling thread, by what the kernel says of it.
func here() (string, error) {
	return os.Readlink(fmt.Sprintf("/proc/self/task/%d/ns/net", unix.Gettid()))
}

func TestDoIsInItsNamespaceAndNobodyElseIs(t *testing.T) {
	a, b := fresh(t, "a"), fresh(t, "b")
	home, err := here()
	if err != nil {
		t.Fatal(err)
	}
	inside := map[*netns.NS]string{}
	for _, ns := range []*netns.NS{a, b} {
		if err := ns.Do(func() (err error) { inside[ns], err = here(); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if inside[a] == inside[b] || inside[a] == home || inside[b] == home {
		t.Fatalf("namespaces %v and home %s: want three", inside, home)
	}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			ns := []*netns.NS{a, b}[i%2]
			err := ns.Do(func() error {
				if got, err := here(); err != nil || got != inside[ns] {
					return fmt.Errorf("inside %s: in %s, want %s (%v)", ns.Name, got, inside[ns], err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if got, err := here(); err != nil || got != home {
				t.Errorf("outside: in %s, want %s (%v)", got, home, err)
			}
		})
	}
	wg.Wait()
}

func TestDoBringsErrorsAndPanicsBack(t *testing.T) {
	ns := fresh(t, "p")
	boom := errors.New("boom")
	if err := ns.Do(func() error { return boom }); !errors.Is(err, boom) {
		t.Errorf("error %v, want %v", err, boom)
	}
	if err := ns.Do(func() error { panic("boom") }); err == nil {
		t.Error("a panic inside gave no error")
	}
}

func TestCreateRefusesNames(t *testing.T) {
	ns := fresh(t, "x")
	for _, name := range []string{"", "other", "stl/x", "stl\x00", ns.Name} {
		if _, err := netns.Create(name); err == nil {
			t.Errorf("%q was created", name)
		}
	}
	if again, err := netns.Open(ns.Name); err != nil || again.Cookie != ns.Cookie {
		t.Errorf("after the refusals %s is %v, %v: want it as it was", ns.Name, again, err)
	} else if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeleteComparesIdentity(t *testing.T) {
	ns := fresh(t, "d")
	if err := netns.Delete(ns.Name, ns.Cookie+1); !errors.Is(err, netns.ErrForeign) {
		t.Errorf("another cookie: %v, want %v", err, netns.ErrForeign)
	}
	if got, err := netns.List(ns.Name); err != nil || len(got) != 1 {
		t.Fatalf("after the refusal there are %v, %v: want it still there", got, err)
	}
	if err := netns.Delete(ns.Name, ns.Cookie); err != nil {
		t.Errorf("its cookie: %v", err)
	}
	if err := netns.Delete(ns.Name, ns.Cookie); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("twice: %v, want %v", err, os.ErrNotExist)
	}
}
