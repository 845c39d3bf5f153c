package sim

import (
	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/wire"
)

// pool holds the packets under way.
type pool struct {
	packets []wire.Packet
	bytes   [][]byte // of packets that carry bytes and not a pattern: buffers by place, kept for the next
	spoilt  map[int32]*spoilt
	free    []int32
}

// spoilt is a packet that a fault has altered: from there on its encoded form travels.
type spoilt struct {
	raw []byte
	by  *fabric.Laid // who altered it first
}

// take returns a free place.
func (p *pool) take() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	p.packets = append(p.packets, wire.Packet{})
	p.bytes = append(p.bytes, nil)
	return int32(len(p.packets) - 1)
}

// own makes the packet's bytes the pool's, if it has any: a device lends them for the moment only.
func (p *pool) own(i int32) {
	if b := p.packets[i].Payload.Bytes; b != nil {
		p.bytes[i] = append(p.bytes[i][:0], b...)
		p.packets[i].Payload.Bytes = p.bytes[i]
	}
}

// give frees a place.
func (p *pool) give(i int32) {
	if len(p.spoilt) > 0 {
		delete(p.spoilt, i)
	}
	p.free = append(p.free, i)
}
