//go:build linux

package nslab

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/stellarlab/stellarlab/cni/rail"
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/impair"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/vishvananda/netlink"
)

// links is the fault surface of all link directions: one eBPF program at each receiving end, a counting one at each
// sending end, and the carrier.
type links struct {
	plant    *plant
	in       []*impair.Direction // by direction
	out      []*impair.Counter   // by direction
	mu       sync.Mutex
	carriers map[fabric.Dir][]*carrier // Down layers by the direction whose sender's end is down
	cuts     map[fabric.LinkID]bool    // links whose carrier was away at some time of the current run
	cutLoss  map[fabric.Dir]uint64     // packets missing on a direction, ever, when its carrier was last put back
}

// attach puts the programs on every direction, some at a time: loading one takes milliseconds of the kernel's.
func (l *links) attach() error {
	n := 2 * len(l.plant.graph.Links)
	l.in, l.out = make([]*impair.Direction, n), make([]*impair.Counter, n)
	l.carriers, l.cuts, l.cutLoss = map[fabric.Dir][]*carrier{}, map[fabric.LinkID]bool{}, map[fabric.Dir]uint64{}
	return each(n, func(i int) error {
		d := fabric.Dir(i)
		receiver, _ := l.plant.endOf(d ^ 1)
		err := inside(receiver, func(index int) (err error) {
			l.in[i], err = impair.Attach(index)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", l.plant.graph.DirName(d), err)
		}
		sender, _ := l.plant.endOf(d)
		err = inside(sender, func(index int) (err error) {
			l.out[i], err = impair.AttachCounter(index)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", l.plant.graph.DirName(d), err)
		}
		return nil
	})
}

// inside runs f in the namespace of an end, with the index of its interface.
func inside(e rail.End, f func(index int) error) error {
	return e.NS.Do(func() error {
		l, err := netlink.LinkByName(e.Name)
		if err != nil {
			return err
		}
		return f(l.Attrs().Index)
	})
}

// close takes the programs off.
func (l *links) close() error {
	return each(len(l.in), func(i int) error {
		var errs []error
		if l.in[i] != nil {
			errs = append(errs, l.in[i].Close())
		}
		if l.out[i] != nil {
			errs = append(errs, l.out[i].Close())
		}
		return errors.Join(errs...)
	})
}

// each calls f for 0 … n-1, a few at a time, and joins the errors.
func each(n int, f func(i int) error) error {
	const parallel = 8
	errs := make([]error, n)
	var wg sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			errs[i] = f(i)
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Lay implements faults.Links. A Down layer sets the sender's end of the direction down; the others go to the
// program at the receiver's.
func (l *links) Lay(d fabric.Dir, layer fabric.Layer) (faults.Overlay, error) {
	if layer.Down {
		return l.cut(d)
	}
	return l.in[d].Lay(layer)
}

// carrier is one Down layer.
type carrier struct {
	links *links
	dir   fabric.Dir
	start uint64 // packets lost for want of a carrier before it lay
	lost  uint64 // when it was taken off
	gone  bool
}

// cut lays a Down layer; the first one sets the end down.
func (l *links) cut(d fabric.Dir) (faults.Overlay, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost, err := l.lost(d)
	if err != nil {
		return nil, err
	}
	end, _ := l.plant.endOf(d)
	if len(l.carriers[d]) == 0 {
		if err := rail.Down(end); err != nil {
			return nil, err
		}
	}
	l.cuts[d.Link()] = true
	c := &carrier{links: l, dir: d, start: lost}
	l.carriers[d] = append(l.carriers[d], c)
	return c, nil
}

// begin forgets the cuts of the run before, except those that still lie: what a healed cut lost then must not
// excuse what is lost now.
func (l *links) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.cuts)
	for d, layers := range l.carriers {
		if len(layers) > 0 {
			l.cuts[d.Link()] = true
		}
	}
}

// missing counts the packets that entered a direction and have not come out of it.
func (l *links) missing(d fabric.Dir) (uint64, error) {
	s, err := l.out[d].Sent()
	if err != nil {
		return 0, err
	}
	t, err := l.in[d].Totals()
	return s.Packets - min(s.Packets, t.Packets), err
}

// takenDown is how many of the packets that a run misses on d a carrier that was away can account for: those that
// were missing when it came back, before is what was missing when the run began. What goes missing afterwards is
// the kernel's.
func (l *links) takenDown(d fabric.Dir, before uint64) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.cuts[d.Link()] {
		return 0
	}
	return l.cutLoss[d] - min(l.cutLoss[d], before)
}

// lost counts what both ends of d's link could not send.
func (l *links) lost(d fabric.Dir) (n uint64, err error) {
	for _, way := range []fabric.Dir{d, d ^ 1} {
		end, _ := l.plant.endOf(way)
		err := end.NS.Do(func() error {
			k, err := netlink.LinkByName(end.Name)
			if err == nil && k.Attrs().Statistics != nil {
				s := k.Attrs().Statistics
				n += s.TxDropped + s.TxCarrierErrors + s.RxDropped
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

// Counters implements faults.Overlay: packets that found no carrier, by the interfaces' own counters.
func (c *carrier) Counters() (fabric.Counters, error) {
	c.links.mu.Lock()
	defer c.links.mu.Unlock()
	lost := c.lost
	if !c.gone {
		now, err := c.links.lost(c.dir)
		if err != nil {
			return fabric.Counters{}, err
		}
		lost = now - c.start
	}
	return fabric.Counters{Seen: lost, Matched: lost}, nil
}

// Standing implements faults.Overlay: the state of both ends as the kernel tells it.
func (c *carrier) Standing() (bool, error) {
	c.links.mu.Lock()
	gone := c.gone
	c.links.mu.Unlock()
	if gone {
		return false, nil
	}
	end, _ := c.links.plant.endOf(c.dir)
	peer, _ := c.links.plant.endOf(c.dir ^ 1)
	up := false
	for _, e := range []rail.End{end, peer} {
		err := e.NS.Do(func() error {
			l, err := netlink.LinkByName(e.Name)
			if err == nil && l.Attrs().OperState == netlink.OperUp {
				up = true
			}
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return !up, nil
}

// Remove implements faults.Overlay: the last layer sets the end up again, and puts back what the kernel dropped
// with it: neighbour and routes.
func (c *carrier) Remove() error {
	l := c.links
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.gone {
		return nil
	}
	if now, err := l.lost(c.dir); err == nil {
		c.lost = now - c.start
	}
	if len(l.carriers[c.dir]) == 1 {
		end, peer := l.plant.endOf(c.dir)
		if err := rail.Up(end, peer); err != nil {
			return err
		}
		if err := l.plant.routes(l.plant.graph.From(c.dir)); err != nil {
			return err
		}
		// While both ends were down the peer's routes could not come back with its own: they do now.
		if err := l.plant.routes(l.plant.graph.To(c.dir)); err != nil {
			return err
		}
	}
	if len(l.carriers[c.dir]) == 1 && len(l.carriers[c.dir^1]) == 0 {
		for _, way := range []fabric.Dir{c.dir, c.dir ^ 1} {
			end, _ := l.plant.endOf(way)
			if err := rail.Ready(end); err != nil {
				return err
			}
		}
	}
	for _, way := range []fabric.Dir{c.dir, c.dir ^ 1} {
		if n, err := l.missing(way); err == nil {
			l.cutLoss[way] = max(l.cutLoss[way], n)
		}
	}
	c.gone = true
	l.carriers[c.dir] = slices.DeleteFunc(l.carriers[c.dir], func(o *carrier) bool { return o == c })
	return nil
}
