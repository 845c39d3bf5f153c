package engine

import (
	"time"

	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Status is a completion status, in the names and numbers of ibv_wc_status.
type Status uint8

// Completion statuses in use.
const (
	Success      Status = 0  // IBV_WC_SUCCESS
	LocLenErr    Status = 1  // IBV_WC_LOC_LEN_ERR
	LocQPOpErr   Status = 2  // IBV_WC_LOC_QP_OP_ERR
	LocProtErr   Status = 4  // IBV_WC_LOC_PROT_ERR
	WRFlushErr   Status = 5  // IBV_WC_WR_FLUSH_ERR
	RemInvReqErr Status = 9  // IBV_WC_REM_INV_REQ_ERR
	RemAccessErr Status = 10 // IBV_WC_REM_ACCESS_ERR
	RemOpErr     Status = 11 // IBV_WC_REM_OP_ERR
	RetryExcErr  Status = 12 // IBV_WC_RETRY_EXC_ERR
	FatalErr     Status = 19 // IBV_WC_FATAL_ERR
	GeneralErr   Status = 21 // IBV_WC_GENERAL_ERR
)

// State is a queue pair state (IBTA 10.3.1), numbered as ibv_qp_state.
type State uint8

// Queue pair states in use.
const (
	Reset State = 0
	Init  State = 1
	RTR   State = 2
	RTS   State = 3
	Err   State = 6
)

// WR is a send work request: an RDMA WRITE.
type WR struct {
	ID     uint64  // returned in the completion
	Local  mem.VA  // first byte of the source
	LKey   mem.Key //
	Remote mem.VA  // first byte of the target
	RKey   mem.Key //
	Len    uint32  // bytes, 0 to 2 GiB
}

// WC is a work completion. There is exactly one per work request, in order of posting per queue pair.
type WC struct {
	ID     uint64
	QP     uint32
	Status Status
	MSN    uint32 // message number of the request on its queue pair
	Len    uint32 // bytes
}

// Access is one side of one packet's data movement, as memory is asked for it.
type Access struct {
	QP     uint32
	PD     mem.PD
	Key    mem.Key
	VA     mem.VA
	Len    uint32     // bytes
	Rights mem.Access // 0: a local read
}

// GrantState says how Memory answered.
type GrantState uint8

// The answers of Memory.
const (
	Ready   GrantState = iota // done
	Pending                   // not now: an answer with the ticket follows through MemReady
	Denied                    // never: Status says why
)

// Grant is the answer of Memory to one access.
type Grant struct {
	State  GrantState
	Ticket uint64 // of Pending
	Status Status // of Denied: LocProtErr or RemAccessErr, RemOpErr
}

// Memory is what the engine needs of the memory system: protected, translated data movement. Calls do not
// block and move all bytes or none.
type Memory interface {
	// Check tells whether the access would be allowed at all: keys, domain, bounds and rights, not presence.
	Check(a *Access) Status
	// Read fills p with the bytes of a. p.Bytes, if set, is valid until the next call only.
	Read(now vtime.Time, a *Access, p *mem.Payload) Grant
	// Write places p at a. It does not keep p.Bytes.
	Write(now vtime.Time, a *Access, p *mem.Payload) Grant
}

// Paths is what the engine needs of the spray layer: which path, and how much may be outstanding. One Paths
// belongs to one queue pair; its window is shared by all its paths (Stellar §9).
type Paths interface {
	// Pick chooses the path of a packet. avoid is a path that lost this packet, or -1.
	Pick(now vtime.Time, avoid int) (path uint16)
	// Answer chooses the path of an acknowledgement. Its way back need not be alive where the packet's way here is,
	// so it is not tied to the packet's path.
	Answer(now vtime.Time) (path uint16)
	// Entropy returns the UDP source port of a path; constant for its life.
	Entropy(path uint16) uint16
	// Window returns how many payload bytes may be outstanding, at least one packet's worth.
	Window() uint64
	// Acked reports that a packet of n payload bytes sent on path was acknowledged. rtt is 0 where it was not
	// measured (retransmitted packets, Karn); ce is the number of packets newly reported as marked.
	Acked(now vtime.Time, path uint16, n uint32, rtt time.Duration, ce uint32)
	// Lost reports that a packet of n payload bytes was not acknowledged in time on path.
	Lost(now vtime.Time, path uint16, n uint32)
}
