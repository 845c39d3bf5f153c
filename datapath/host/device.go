package host

import (
	"fmt"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/emtt"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"github.com/stellarlab/stellarlab/pvdma"
)

// Device is one vStellar device with its application. It belongs to one owner: a driver that feeds it packets,
// answers and the time, then drains Request and Next. It is not safe for concurrent use.
type Device struct {
	cfg    Config
	bus    Bus
	guest  Guest
	sink   event.Sink
	engine *engine.Engine
	domain *pvdma.Domain
	table  *emtt.Table
	memory memory
	app    app
	ev     event.Event // reused by emit

	pins     map[uint64]mem.Span // blocks asked for, by ticket of the domain
	released []pvdma.Request     // unpins of blocks that went away untold
	storms   map[emtt.LevelID]*missLevel
}

// receiveBuffer is what may wait at a responder, bytes: what a link of 400 Gb/s brings within a retransmission
// timeout, so that one lost packet does not stop the rest.
const receiveBuffer = 16 << 20

// New returns a device without queue pairs. bus moves its bytes, guest is its application's view of the same
// memory, sink gets its events.
func New(cfg Config, bus Bus, guest Guest, sink event.Sink) (*Device, error) {
	d := &Device{
		cfg: cfg, bus: bus, guest: guest, sink: sink,
		pins: map[uint64]mem.Span{}, storms: map[emtt.LevelID]*missLevel{},
	}
	d.memory.d = d
	d.app = app{d: d, byQP: map[uint32]*requesterFlow{}, deadline: vtime.Never}
	var err error
	if d.domain, err = pvdma.New(pvdma.Config{
		Guest: cfg.Memory.Guest, Block: cfg.Memory.Block,
		Mode: pvdma.Mode(cfg.Memory.Pin), MapCache: cfg.Memory.MapCache,
	}); err != nil {
		return nil, fmt.Errorf("device of node %d: %w", cfg.Node, err)
	}
	if d.table, err = emtt.New(emtt.Config{Entries: cfg.Entries}); err != nil {
		return nil, fmt.Errorf("device of node %d: %w", cfg.Node, err)
	}
	d.engine, err = engine.New(engine.Config{
		Addr: cfg.Addr, MTU: cfg.MTU, RTO: cfg.RTO, Retries: retries(cfg.Retries),
		AckEvery: cfg.AckEvery, Relaxed: cfg.Relaxed,
		ReceiveBuffer: max(receiveBuffer, 2*cfg.Window),
	}, &d.memory, sink, cfg.Node)
	if err != nil {
		return nil, fmt.Errorf("device of node %d: %w", cfg.Node, err)
	}
	return d, nil
}

// retries is a retry count as the engine takes it: 0 there means its default, and negative none.
func retries(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// Receive takes one packet that passed the ICRC. p and its bytes are the caller's again on return.
func (d *Device) Receive(now vtime.Time, p *wire.Packet) {
	d.engine.Receive(now, p)
	d.app.poll(now)
}

// Reject records a packet that the driver could not decode.
func (d *Device) Reject(now vtime.Time, cause event.RejectCause) {
	d.emit(event.Event{At: now, Kind: event.Rejected, A: uint64(cause)})
}

// Next fills p with the next packet to send, and says whether there is one. p.Payload.Bytes is valid until
// the next call on d.
func (d *Device) Next(now vtime.Time, p *wire.Packet) bool {
	ok := d.engine.Next(now, p)
	d.app.poll(now) // reading the source may have failed a work request
	return ok
}

// Tick does what is due at now: timers of the transport and of the application.
func (d *Device) Tick(now vtime.Time) {
	d.engine.Tick(now)
	d.app.poll(now)
	if now >= d.app.deadline {
		d.app.wake(now)
	}
}

// Deadline is the next instant at which Tick has something to do; vtime.Never if only an input can.
func (d *Device) Deadline() vtime.Time { return min(d.engine.Deadline(), d.app.deadline) }

// Start releases the flows of which this host is the requester; now is lab time 0 of this run.
func (d *Device) Start(now vtime.Time, v Verifier) { d.app.start(now, v) }

// Stop ends posting. What is outstanding still completes, so Idle follows.
func (d *Device) Stop(now vtime.Time) { d.app.stop(now) }

// Idle says that all flows of this host are done.
func (d *Device) Idle() bool { return d.app.running == 0 }

func (d *Device) emit(e event.Event) {
	d.ev = e
	d.ev.Node = d.cfg.Node
	d.sink.Emit(&d.ev)
}
