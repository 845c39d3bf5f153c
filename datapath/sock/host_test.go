//go:build linux

package sock_test

import (
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/hostmem"
	"github.com/stellarlab/stellarlab/datapath/impair"
	"github.com/stellarlab/stellarlab/datapath/sock"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// tally counts the events of one loop by kind.
type tally struct {
	mu sync.Mutex
	n  [event.Kinds]uint64
}

func (y *tally) Emit(e *event.Event) {
	y.mu.Lock()
	y.n[e.Kind]++
	y.mu.Unlock()
}

func (y *tally) count(k event.Kind) uint64 {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.n[k]
}

// compare is a host.Verifier over the memory of two hosts.
type compare struct {
	guests [2]*hostmem.Memory
	mu     sync.Mutex
	bytes  uint64
	bad    uint64
	err    error
}

func (c *compare) Verify(_ vtime.Time, f *host.Flow, target *host.Endpoint, _ *engine.WC, gpa mem.GPA, tag uint64) {
	bad, _, err := c.guests[target.Node].Check(gpa, uint64(f.Size), tag)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += uint64(f.Size)
	c.bad += bad
	if err != nil {
		c.err = err
	}
}

// hosts are two vStellar devices over a pair, with flows between them.
type hosts struct {
	*pair
	clock  *sock.Clock
	mem    [2]*hostmem.Memory
	events [2]*tally
	host   [2]*sock.Host
	verify compare
}

func newHosts(t testing.TB, flows []host.Flow) *hosts {
	t.Helper()
	h := &hosts{pair: newPair(t), clock: sock.NewClock()}
	for i := range h.host {
		m, err := hostmem.Open(hostmem.Config{Node: int32(i), Size: 64 << 20, Block: 256 << 10, Sink: h.sink(i)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
		h.mem[i], h.verify.guests[i] = m, m
	}
	for i := range h.host {
		a := addrs[i].As4()
		dev, err := host.New(host.Config{
			Node: int32(i), Addr: binary.BigEndian.Uint32(a[:]), Run: 1, Seed: uint64(i), MTU: 4096,
			Paths: 128, Policy: "oblivious", RTO: 20 * time.Millisecond, Retries: 7, Window: 2 << 20,
			Congestion: host.Congestion{BaseRTT: 200 * time.Microsecond, TargetDelay: 5 * time.Millisecond},
			AckEvery:   64 << 10,
			Memory:     host.Memory{Guest: 64 << 20, Pin: host.OnDemand, Block: 256 << 10, PD: 1},
		}, h.mem[i], h.mem[i], h.sink(i))
		if err != nil {
			t.Fatal(err)
		}
		l, err := sock.StartHost(sock.Config{Addr: addrs[i], Clock: h.clock, MTU: 4096, Within: h.within(i)},
			dev, h.mem[i], &h.verify)
		if err != nil {
			t.Fatal(err)
		}
		h.host[i] = l
		t.Cleanup(func() {
			_, _ = l.Call(sock.Shut{})
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	source, target := host.Layout(flows)
	for i, f := range flows {
		from := h.call(t, f.From, sock.Open{Flow: f, Requester: true, Base: source[i]}).Endpoint
		to := h.call(t, f.To, sock.Open{Flow: f, Base: target[i]}).Endpoint
		h.call(t, f.From, sock.Connect{Flow: f, Requester: true, Local: from, Peer: to})
		h.call(t, f.To, sock.Connect{Flow: f, Local: to, Peer: from})
	}
	return h
}

func (h *hosts) sink(i int) *tally {
	if h.events[i] == nil {
		h.events[i] = &tally{}
	}
	return h.events[i]
}

func (h *hosts) call(t testing.TB, i int32, c sock.Command) sock.Result {
	t.Helper()
	r, err := h.host[i].Call(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run releases the flows and waits until all are done.
func (h *hosts) run(t testing.TB) {
	t.Helper()
	h.clock.Release()
	for i := range h.host {
		h.call(t, int32(i), sock.Release{})
	}
	limit := time.NewTimer(60 * time.Second)
	defer limit.Stop()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for !h.host[0].Idle() || !h.host[1].Idle() {
		select {
		case <-poll.C:
		case <-limit.C:
			for i, l := range h.host {
				s, err := l.Stats()
				t.Errorf("host %d: %+v, %v; events %v", i, s, err, h.events[i].n)
			}
			t.Fatal("not done after a minute")
		}
	}
}

// clean wants n messages of size bytes verified, and nothing wrong anywhere.
func (h *hosts) clean(t testing.TB, n, size uint64) {
	t.Helper()
	v := &h.verify
	if v.bytes != n*size || v.bad != 0 || v.err != nil {
		t.Errorf("%d bytes verified, %d bad, %v; want %d", v.bytes, v.bad, v.err, n*size)
	}
	if got := h.events[0].count(event.Completed) + h.events[1].count(event.Completed); got != n {
		t.Errorf("%d completions, want %d", got, n)
	}
	for i, l := range h.host {
		s, err := l.Stats()
		if err != nil || s.Full+s.Unroutable+s.Overflow > 0 {
			t.Errorf("host %d: %+v, %v", i, s, err)
		}
		if b := h.events[i].count(event.BadAccess); b > 0 {
			t.Errorf("host %d: %d bad accesses", i, b)
		}
	}
}

// impaired puts a layer on what host 1 receives.
func (h *hosts) impaired(t testing.TB, l fabric.Layer) (*impair.Direction, *impair.Overlay) {
	t.Helper()
	var d *impair.Direction
	if err := h.within(1)(func() (err error) { d, err = impair.Attach(h.index[1]); return err }); err != nil {
		t.Skipf("needs eBPF: %v", err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	o, err := d.Lay(l)
	if err != nil {
		t.Fatal(err)
	}
	return d, o
}

func TestWritesAreVerified(t *testing.T) {
	const size = 100_000
	h := newHosts(t, []host.Flow{
		{Index: 0, From: 0, To: 1, Size: size, Depth: 8, Count: 200},
		{Index: 1, From: 1, To: 0, Size: size, Depth: 3, Count: 100, Cold: true},
	})
	h.run(t)
	h.clean(t, 300, size)
	h.run(t) // the same queue pairs once more
	h.clean(t, 600, size)
}

func TestLossIsRecovered(t *testing.T) {
	const size = 64 << 10
	h := newHosts(t, []host.Flow{{From: 0, To: 1, Size: size, Depth: 8, Count: 300}})
	d, o := h.impaired(t, fabric.Layer{Loss: 0.02, Key: 9})
	h.run(t)
	h.clean(t, 300, size)
	c, err := o.Counters()
	total, err2 := d.Totals()
	if err != nil || err2 != nil || c.Matched == 0 || total.Loss != c.Matched || total.Packets != total.Delivered+total.Loss {
		t.Errorf("layer %+v, %v; direction %+v, %v", c, err, total, err2)
	}
	s, err := h.host[1].Stats()
	if err != nil || s.Received != total.Delivered {
		t.Errorf("direction delivered %d, the loop received %d, %v", total.Delivered, s.Received, err)
	}
}

func TestCorruptionIsRejectedAndRecovered(t *testing.T) {
	const size = 64 << 10
	h := newHosts(t, []host.Flow{{From: 0, To: 1, Size: size, Depth: 8, Count: 300}})
	d, _ := h.impaired(t, fabric.Layer{Corrupt: 0.02, Key: 9})
	h.run(t)
	h.clean(t, 300, size)
	total, err := d.Totals()
	s, err2 := h.host[1].Stats()
	if err != nil || err2 != nil || total.Corrupted == 0 || s.Rejected != total.Corrupted {
		t.Errorf("direction %+v, %v; loop %+v, %v", total, err, s, err2)
	}
}

func TestEvictionUnderTrafficIsHarmless(t *testing.T) {
	const size = 64 << 10
	h := newHosts(t, []host.Flow{{From: 0, To: 1, Size: size, Depth: 8, Count: 2000}})
	evicted := make(chan uint64)
	stop := make(chan struct{})
	go func() {
		var pages uint64
		defer func() { evicted <- pages }()
		for {
			for i := range h.host {
				select {
				case <-stop:
					return
				default:
				}
				r, err := h.host[i].Call(sock.Mapped{})
				if err != nil {
					t.Error(err)
					return
				}
				n, err := h.host[i].Evict(r.Blocks)
				if err != nil {
					t.Error(err)
					return
				}
				pages += n
			}
		}
	}()
	h.run(t)
	close(stop)
	if n := <-evicted; n == 0 {
		t.Error("nothing was evicted")
	}
	h.clean(t, 2000, size)
}
