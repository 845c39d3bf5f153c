package oracle

import (
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// flow is what the judge knows of one flow: only what is outstanding.
type flow struct {
	host.Flow
	index   int32
	relaxed bool
	known   bool       // FlowStart seen
	begun   bool       // a message was posted in this run
	posted  uint64     // number of the next message to be posted
	oldest  uint64     // number of the oldest message without completion
	whole   uint64     // number of the oldest message that is not whole in memory
	moved   vtime.Time // last byte or completion, or the post that ended idleness
	good    uint64     // successful completions
	failed  uint64     // other completions
	limit   int64      // nanoseconds without progress that are too long
}

// outstanding is the number of messages posted and not completed.
func (f *flow) outstanding() uint64 { return f.posted - f.oldest }

// life is the state of a slot.
type life uint8

const (
	idle    life = iota // no message was ever here
	waiting             // posted, not completed
	done                // completed with success
	failed              // completed with an error: what was under way may still arrive
)

// slot is one message's place in target memory.
type slot struct {
	life   life
	size   uint32
	flow   int32
	placed uint64 // bytes
	sum    uint64 // of the indices of the placed bytes: a byte placed twice and another missing show
	msn    uint64
	wr     uint64
	at     mem.GPA
}

// step is one event together with what it concerns, as the invariants see it: the state before the event.
// It is reused: nothing of it may be kept.
type step struct {
	at      vtime.Time
	ev      *event.Event
	flow    *flow // nil: none could be told
	slot    *slot // nil: none could be told
	message uint64
	active  func() string // names the faults that are active; for reports only
}

// indices is the sum off + off+1 + … of n byte indices, modulo 2^64.
func indices(off, n uint64) uint64 {
	if n == 0 {
		return 0
	}
	if n%2 == 0 {
		return n*off + n/2*(n-1)
	}
	return n*off + n*((n-1)/2)
}
