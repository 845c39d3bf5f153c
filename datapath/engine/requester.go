package engine

import (
	"time"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// fate is what is known of a packet that was sent.
type fate uint8

const (
	flying fate = iota // may arrive or be acknowledged yet
	lost               // given up: waits to be sent again
	done               // acknowledged
)

// record is the last transmission of one packet.
type record struct {
	at      vtime.Time // when it left
	msn     uint32     // its message
	pathSeq uint32     // of this transmission
	path    uint16     //
	bytes   uint16     // payload
	epoch   uint16     // progress of the queue pair when the packet was last given up
	retries uint8      // timeouts since progress
	fate    fate       //
}

// requester is the sending half of a queue pair. Packets una … next-1 are out, next … planned-1 wait.
type requester struct {
	una     uint64   // PSN of the oldest packet that is not known to be in the peer's memory
	next    uint64   // PSN of the next new packet
	planned uint64   // PSN behind the last packet of the last work request
	edge    uint64   // PSN of the first packet that the peer would not buffer
	records []record // ring by PSN; a power of two, grown as needed

	works  []work // ring by message number; a power of two, grown as needed
	head   uint64 // message number of the oldest work request that is not completed
	tail   uint64 // of the work request that packet next belongs to
	posted uint64 // behind the last work request

	inflight uint64 // payload bytes of packets that are flying
	window   uint64 // bytes: what may be in flight, as last told
	lost     fifo   // packets given up, to be sent again
	rtt      estimator
	flights  [maxBackoff + 1]fifo // transmissions by level of backoff, in the order in which they left
	heard    vtime.Time           // latest acknowledgement
	asked    uint64               // bytes since an acknowledgement was asked for

	pathSeq []uint32 // by path: of its next transmission
	ceSeen  uint32   // highest count of marked packets that the peer reported
	epoch   uint16   // counts progress: advances of una

	suspended bool   // an access to local memory is pending
	broken    uint64 // message number + 1 of the first work request that local memory refused; 0: none
	cause     Status // of it
}

// begin makes t ready to send its first packet as number psn.
func (t *requester) begin(psn uint32, window uint64, rto time.Duration) {
	t.una = psnBase | uint64(psn)
	t.next, t.planned = t.una, t.una
	t.edge = t.una + window
	t.rtt = estimator{floor: rto, rto: rto}
}

// abandon forgets everything outstanding; it keeps the numbers.
func (t *requester) abandon() {
	*t = requester{
		una: t.una, next: t.next, planned: t.planned, edge: t.edge, rtt: t.rtt, pathSeq: t.pathSeq,
		head: t.posted, tail: t.posted, posted: t.posted,
	}
}

// work returns the work request of a message number.
func (t *requester) work(msn uint64) *work { return &t.works[msn&uint64(len(t.works)-1)] }

// record returns the record of a packet that is out.
func (t *requester) record(psn uint64) *record { return &t.records[psn&uint64(len(t.records)-1)] }

// add appends a work request.
func (t *requester) add(wr WR, packets uint64) {
	if n := uint64(len(t.works)); t.posted-t.head == n {
		grown := make([]work, max(2*n, 4))
		for m := t.head; m < t.posted; m++ {
			grown[m&uint64(len(grown)-1)] = t.works[m&(n-1)]
		}
		t.works = grown
	}
	*t.work(t.posted) = work{WR: wr, first: t.planned, packets: packets}
	t.planned += packets
	t.posted++
}

// push returns the record of packet next and counts it as out.
func (t *requester) push() *record {
	if n := uint64(len(t.records)); t.next-t.una == n {
		grown := make([]record, max(2*n, bitmapMin))
		for p := t.una; p < t.next; p++ {
			grown[p&uint64(len(grown)-1)] = t.records[p&(n-1)]
		}
		t.records = grown
	}
	r := t.record(t.next)
	t.next++
	return r
}

// room says that n more bytes may be in flight: within the window, or as the only packet.
func (t *requester) room(n uint32) bool {
	return t.inflight+uint64(n) <= t.window || t.inflight == 0
}

// sequence returns the number of the next transmission on a path.
func (t *requester) sequence(path uint16) uint32 {
	for len(t.pathSeq) <= int(path) {
		t.pathSeq = append(t.pathSeq, 0)
	}
	n := t.pathSeq[path]
	t.pathSeq[path]++
	return n
}
