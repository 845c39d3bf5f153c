//go:build linux

package nslab_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/nslab"
	"github.com/stellarlab/stellarlab/framework/topology"
	"github.com/stellarlab/stellarlab/internal/netns"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// child makes this binary build a lab in the state directory that it names, and say so.
const child = "STELLARLAB_NSLAB_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		g, err := leafSpine()
		if err == nil {
			_, err = nslab.Build(context.Background(), spec(g, dir))
		}
		fmt.Println("built", err)
		select {}
	}
	os.Exit(m.Run())
}

func leafSpine() (*fabric.Graph, error) {
	p := &topology.LeafSpine{Leaves: 2, Spines: 4, HostsPerLeaf: 2}
	return p.Build(func(string) uint32 { return 7 })
}

// run names the kernel objects of these tests; a child has its parent's name, since the parent looks for them.
const run = "tlab"

func spec(g *fabric.Graph, dir string) framework.Spec {
	return framework.Spec{Graph: g, Name: run, StateDir: dir}
}

// nothing fails the test if a namespace or a log of the tests is there.
func nothing(t testing.TB, dir string) {
	t.Helper()
	if names, err := netns.List(netns.Prefix + run + "-"); err != nil || len(names) != 0 {
		t.Errorf("namespaces %v are left, error %v", names, err)
	}
	if logs, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(logs) != 0 {
		t.Errorf("%v is left, error %v", logs, err)
	}
}

func needs(t testing.TB) *fabric.Graph {
	t.Helper()
	for _, a := range nslab.Probe() {
		if a.Needed && !a.OK {
			t.Skipf("needs %s: %s", a.Name, a.Detail)
		}
	}
	g, err := leafSpine()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestBuildAndCloseLeaveNothing(t *testing.T) {
	g, dir := needs(t), t.TempDir()
	begin := time.Now()
	s, err := nslab.Build(t.Context(), spec(g, dir))
	if err != nil {
		t.Fatal(err)
	}
	built := time.Now()
	if names, err := netns.List(netns.Prefix + run + "-"); err != nil || len(names) != len(g.Nodes) {
		t.Errorf("%d namespaces, error %v: want %d", len(names), err, len(g.Nodes))
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	t.Logf("built in %v, gone in %v", built.Sub(begin), time.Since(built))
	nothing(t, dir)
}

// countdown is a context that ends after it has been asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

func TestBuildThatFailsHalfWayLeavesNothing(t *testing.T) {
	g, dir := needs(t), t.TempDir()
	steps := 2*len(g.Nodes) + 3*len(g.Links)
	for n := 0; n < steps; n += 3 {
		s, err := nslab.Build(&countdown{t.Context(), n}, spec(g, dir))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended after step %d of %d: %v, %v: want %v", n, steps, s, err, context.Canceled)
		}
		nothing(t, dir)
	}
}

func TestBuildSparesWhatHasItsName(t *testing.T) {
	g, dir := needs(t), t.TempDir()
	other, err := netns.Create(netns.Prefix + run + "-" + g.Nodes[3].Name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(other.Close(), netns.Delete(other.Name, other.Cookie)); err != nil {
			t.Errorf("the other's namespace: %v", err)
		}
		nothing(t, dir)
	}()
	if _, err := nslab.Build(t.Context(), spec(g, dir)); !errors.Is(err, os.ErrExist) {
		t.Errorf("build over another's namespace: %v, want %v", err, os.ErrExist)
	}
}

func TestKilledBuildIsCollected(t *testing.T) {
	needs(t)
	for _, after := range []int{1, 4, 7, 10} { // namespaces that are there when it is killed
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), child+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for limit := time.Now().Add(20 * time.Second); time.Now().Before(limit); {
			if names, err := netns.List(netns.Prefix + run + "-"); err != nil || len(names) >= after {
				break
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		r, err := nslab.Collect(dir, false)
		if err != nil || r.Failed() != 0 || len(r.Items) < after {
			t.Errorf("killed at %d namespaces: %+v, %v: want at least that many undone", after, r, err)
		}
		nothing(t, dir)
	}
}

func TestLinkDownStandsWhileAnyLayerLies(t *testing.T) {
	g, dir := needs(t), t.TempDir()
	s, err := nslab.Build(t.Context(), spec(g, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		nothing(t, dir)
	}()
	l, ok := g.Link("leaf0-spine1")
	if !ok {
		t.Fatal("no link leaf0-spine1")
	}
	links := s.Surfaces().Links
	first, err := links.Lay(fabric.Dir(2*l), fabric.Layer{Down: true})
	if err != nil {
		t.Fatal(err)
	}
	second, err := links.Lay(fabric.Dir(2*l), fabric.Layer{Down: true})
	if err != nil {
		t.Fatal(err)
	}
	back, err := links.Lay(fabric.Dir(2*l+1), fabric.Layer{Down: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Remove(), first.Remove(), second.Remove()); err != nil {
		t.Fatal(err)
	}
	if up, err := back.Standing(); err != nil || !up {
		t.Errorf("the last layer stands %v, error %v: want it to", up, err)
	}
	if err := back.Remove(); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(t.Context(), framework.Job{Limit: vtime.Time(time.Second)})
	if err != nil || !o.Settled {
		t.Fatalf("run without flows: %+v, %v", o, err)
	}
	for _, p := range o.Ports {
		var dropped uint64
		for _, n := range p.Dropped {
			dropped += n
		}
		if p.Sent+p.Duplicated != p.Delivered+dropped+p.InFlight {
			t.Errorf("%s does not balance: %+v", g.DirName(p.Dir), p)
		}
	}
}
