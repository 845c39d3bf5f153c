package event

// Kind says what happened. The numbers are part of the journal's format: append, never renumber.
type Kind uint16

// The kinds. Each comment gives the meaning of Node, QP, A, B, C and D where they are used.
const (
	None Kind = iota

	// Verbs. Node and QP are the requester's.
	Posted    // A work request id, B message number (MSN), C length in bytes, D target GPA (unique per target host)
	Completed // A work request id, B status (ibverbs WC status), C length in bytes, D message number
	QPState   // A new state, B old state, C peer node, D peer QP number

	// Packets at an endpoint. Node and QP are the endpoint's own.
	Sent     // A PSN, B path<<32 | wire flags, C payload bytes, D opcode; a retransmission has SentRetransmit in B
	Received // A PSN, B path<<32 | wire flags, C payload bytes, D opcode
	Rejected // A cause (RejectCause), B PSN, C opcode: a packet that the endpoint refused
	Placed   // bytes written to memory by DMA: A GPA of the first byte, B length in bytes, C host physical address
	Fetched  // bytes read from memory by DMA: A GPA of the first byte, B length in bytes, C host physical address
	Timeout  // the retransmission timer fired: A PSN of the oldest packet, B retries so far
	Nak      // A syndrome, B PSN

	// Paths. Node and QP are the requester's.
	PathLost // A path, B PSN: loss attributed to the path
	PathOut  // A path, B instant of the first probe: no longer chosen
	PathBack // A path: carries traffic again

	// Memory and translation. Node is the host.
	NeedMem    // A block start GPA, B block bytes, C ticket
	MemReady   // A block start GPA, B host physical address, C ticket
	MemFailed  // A block start GPA, B cause, C ticket
	Unpinned   // A block start GPA, B cause (0 idle, 1 evicted, 2 teardown)
	NeedEntry  // translation miss left as a request: A key, B page VA, C ticket
	EntryReady // A key, B page VA, C ticket
	BadAccess  // a DMA that memory itself refused or should never have seen: A cause (BadCause), B GPA or HPA, C length
	Refused    // a remote access that translation refused: A status, B VA, C length, D key

	// Oracle input that the lab measures outside the component under test.
	Verified // target memory compared after a completion; Node and QP the requester's: A message number, B bytes compared, C bad bytes, D GPA of the first bad byte

	// Faults. Node is -1; A is the index of the fault occurrence in the plan.
	FaultStrike    // B requested instant
	FaultHeal      // B requested instant
	FaultConfirmed // B matched so far

	// Fabric, simulator only (namespaces have counters). Node is the link direction.
	Dropped // A cause (DropCause), B packet bytes, C fault occurrence index + 1 or 0, D path<<32 | PSN

	// Workloads. Node is the requester.
	FlowStart // A flow index
	FlowDone  // A flow index, B bytes completed, C work requests failed

	// Kinds is one past the last kind.
	Kinds
)

// SentRetransmit is set in B of Sent for a packet that was sent before.
const SentRetransmit = 1 << 31

// RejectCause says why an endpoint refused a packet.
type RejectCause uint64

// Causes of Rejected.
const (
	RejectICRC RejectCause = iota + 1
	RejectMalformed
	RejectUnknownQP
	RejectState
	RejectStranger
	RejectDuplicate
	RejectWindow
	RejectMemory
)

// BadCause says how a DMA went wrong at the memory itself.
type BadCause uint64

// Causes of BadAccess.
const (
	BadUnpinned BadCause = iota + 1
	BadUnmapped
	BadOutside
)

// DropCause says why the fabric dropped a packet.
type DropCause uint64

// Causes of Dropped, also the keys of the ledger.
const (
	DropQueue DropCause = iota + 1
	DropDown
	DropBlackhole
	DropLoss
	DropNoRoute
	DropICRC
	DropTTL
	DropKernel
	DropCauses
)
