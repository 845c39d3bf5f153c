//go:build linux

package impair

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/stellarlab/stellarlab/datapath/fabric"
)

// Slots is the number of layers that may lie on one direction at a time.
const Slots = 16

// ErrFull is what Lay returns where Slots layers lie already.
var ErrFull = errors.New("no free layer slot")

// ErrUnsupported is what Lay returns for a layer that a program cannot carry out: Down is the kernel's.
var ErrUnsupported = errors.New("not an impairment of packets")

// ErrClosed is what calls return after Close.
var ErrClosed = errors.New("direction closed")

// Direction is the program at the receiving end of one link direction. It is safe for concurrent use. It
// dies with the process: the attachment is a held descriptor.
type Direction struct {
	mu      sync.Mutex
	maps    *maps
	program *ebpf.Program
	link    link.Link
	config  config // what the kernel map holds
	laid    [Slots]*Overlay
	order   uint64 // of the next layer
	next    int    // slot to try first: slots are used in turn, so that a late count of a removed layer hits none
	closed  bool
}

// Attach puts a program without layers on the ingress of the interface with index ifindex in the network
// namespace of the calling thread. Call it inside that namespace; afterwards any thread may use the result.
func Attach(ifindex int) (*Direction, error) {
	m, err := newMaps()
	if err != nil {
		return nil, err
	}
	d := &Direction{maps: m, order: 1}
	d.program, err = load("stl_impair", impairment(m))
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	d.link, err = link.AttachTCX(link.TCXOptions{
		Interface: ifindex,
		Program:   d.program,
		Attach:    ebpf.AttachTCXIngress,
	})
	if err != nil {
		err = fmt.Errorf("attach impairment to interface %d: %w", ifindex, err)
		return nil, errors.Join(err, d.program.Close(), m.Close())
	}
	return d, nil
}

// Lay adds a layer behind those that lie already. It is in effect when Lay returns; packets that no
// threshold of l names are treated as before, at the moment of the switch too.
func (d *Direction) Lay(l fabric.Layer) (*Overlay, error) {
	if l.Down {
		return nil, fmt.Errorf("layer of fault %d: down: %w", l.Fault, ErrUnsupported)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	n := -1
	for i := range Slots {
		if s := (d.next + i) % Slots; d.laid[s] == nil {
			n = s
			break
		}
	}
	if n < 0 {
		return nil, fmt.Errorf("layer of fault %d: %d lie already: %w", l.Fault, Slots, ErrFull)
	}
	before, err := d.maps.tally()
	if err != nil {
		return nil, err
	}
	s := slot{
		Order:   d.order,
		Loss:    fabric.Threshold(l.Loss),
		Corrupt: fabric.Threshold(l.Corrupt),
		Key:     uint64(l.Key),
	}
	if l.Blackhole {
		s.Blackhole = 1
	}
	// Parameters first, the switch last: the program reads the switch first, and a packet meets the whole
	// layer or none of it.
	d.config.Slots[n] = s
	if err := d.maps.write(&d.config); err != nil {
		return nil, err
	}
	d.config.Slots[n].Enabled = 1
	d.config.Active++
	if err := d.maps.write(&d.config); err != nil {
		d.config.Slots[n] = slot{}
		d.config.Active--
		return nil, errors.Join(err, d.maps.write(&d.config))
	}
	o := &Overlay{d: d, slot: n, base: before.Layers[n], want: d.config.Slots[n]}
	d.laid[n] = o
	d.next = n + 1
	d.order++
	return o, nil
}

// Totals reads the ledger of the direction.
func (d *Direction) Totals() (Totals, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return Totals{}, ErrClosed
	}
	c, err := d.maps.tally()
	return c.Totals, err
}

// Close detaches the program and frees its maps. Layers that still lie are gone with it; their last counts
// stay readable. Closing twice is success.
func (d *Direction) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	var errs []error
	for _, o := range d.laid {
		if o != nil {
			errs = append(errs, o.remove())
		}
	}
	d.closed = true
	return errors.Join(append(errs, d.link.Close(), d.program.Close(), d.maps.Close())...)
}
