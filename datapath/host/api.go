package host

import (
	"errors"
	"time"

	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// ErrAbsent is what a Bus returns for a page that is not there now: the device turns it into a request for
// memory and tries again when it is answered. Nothing was moved.
var ErrAbsent = errors.New("page not present")

// Bus is the device's way to memory: DMA. It emits event.Placed for bytes written, and event.BadAccess for
// an access to memory that is not pinned and mapped, from its own record and not from the caller's claim.
type Bus interface {
	// Read fills p with the bytes of segs, in order. p.Bytes is valid until the next call.
	Read(now vtime.Time, segs []mem.Segment, p *mem.Payload) error
	// Write stores p over segs. It does not keep p.Bytes.
	Write(now vtime.Time, segs []mem.Segment, p *mem.Payload) error
}

// Guest is the application's own view of the same memory: CPU loads and stores through the EPT. It is safe
// for concurrent use.
type Guest interface {
	// Fill writes n bytes of pattern tag, from its offset 0, at gpa.
	Fill(gpa mem.GPA, n uint64, tag uint64) error
	// Check compares n bytes at gpa with pattern tag from its offset 0. bad counts the bytes that differ,
	// first is the address of the first of them.
	Check(gpa mem.GPA, n uint64, tag uint64) (bad uint64, first mem.GPA, err error)
}

// RequestKind says what a device asks of its driver.
type RequestKind uint8

// The requests. Each Pin and Fetch is answered by one Answer with its ticket, whenever that is. The device sets no
// timer on them: what waits for an answer that never comes waits on, which the progress invariant reports.
const (
	Pin   RequestKind = iota // make Block present, pinned and mapped: NeedMem of PVDMA (Stellar §5)
	Unpin                    // release Block; no answer
	Fetch                    // a translation is not cached; it is there after Cost
)

// Request is a slow thing that leaves the core as a message.
type Request struct {
	Kind   RequestKind
	Ticket uint64
	Block  mem.Span      // Pin, Unpin
	HPA    mem.HPA       // Unpin
	Cost   time.Duration // Fetch: lab time until the answer is due; 0 on Pin: the driver's own cost
}

// Answer is the reply to a Pin or Fetch.
type Answer struct {
	Ticket uint64
	HPA    mem.HPA // of the block, for Pin
	Err    error   // nil: done
}

// Flow is one stream of RDMA WRITEs between two hosts, as data: what a workload turns into, and what a host
// is told to run. Message i goes through slot i mod Depth of a source and a target buffer, each slot Size
// bytes rounded up to 4 KiB.
type Flow struct {
	Index    int32         // position in the run's list
	Workload int32         // position of the workload in the scenario
	From, To int32         // host numbers
	Size     uint32        // bytes per message
	Depth    uint32        // work requests outstanding; 0 means 1
	Count    uint64        // messages; 0: until For has passed
	For      time.Duration // from Start; 0: until Count is reached
	Start    time.Duration // from release
	Rate     uint64        // bit/s offered; 0: as fast as possible
	Cold     bool          // the buffers are pinned on first touch, under traffic; else before release
}

// Endpoint is one end of a connected flow, as the other end needs to know it.
type Endpoint struct {
	Node       int32
	Addr       uint32 // IPv4, host byte order
	QP         uint32
	Generation uint8
	VA         mem.VA  // first byte of the buffer
	GPA        mem.GPA // the same in guest physical memory
	Key        mem.Key // of the buffer: rkey at the responder, lkey at the requester
	PSN        uint32  // of the first packet this end sends
}

// Verifier compares target memory with what the message should have left there. It is called on the
// requester's owner loop right after the completion, before the slot is used again; it must be safe for
// concurrent use by several loops. It emits event.Verified itself.
type Verifier interface {
	Verify(now vtime.Time, f *Flow, target *Endpoint, wc *engine.WC, gpa mem.GPA, tag uint64)
}
