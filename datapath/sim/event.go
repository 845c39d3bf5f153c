package sim

// kind says what an event is for; its index says which direction, host or answer.
type kind uint8

const (
	kindArrive kind = iota // the first packet of a direction arrives; index: direction
	kindPull               // a host's NIC takes its next packet; index: host
	kindTimer              // a host's deadline; index: host
	kindAnswer             // a slow request is done; index: place in Sim.answers
)

const (
	indexBits = 24
	kindBits  = 3
	seqShift  = indexBits + kindBits
)

// item is one event: the order of its making above what it is, so that a comparison of order breaks ties.
// 2^37 events fit one run; that is more than half a day of work.
type item struct {
	at    int64 // ps
	order uint64
}

func (e item) kind() kind { return kind(e.order >> indexBits & (1<<kindBits - 1)) }

func (e item) index() int32 { return int32(e.order & (1<<indexBits - 1)) }

func (e item) before(o item) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

// stamp makes the order of the seq-th event.
func stamp(seq uint64, k kind, index int32) uint64 {
	return seq<<seqShift | uint64(k)<<indexBits | uint64(index)
}
