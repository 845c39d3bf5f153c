// Package yardstick is the least that a packet simulation can be: packets that cross a leaf-spine fabric, one
// event per hop, virtual-clock ports, flat arrays. It has no transport, memory, fault or measurement: it is what
// the speed of the simulator is compared with, run alternately on the same machine.
package yardstick

// Config is a leaf-spine fabric and its load: every host sends to its peer at line rate.
type Config struct {
	Leaves, HostsPerLeaf, Spines int
	Peers                        []int32 // by host: whom it sends to; -1: nobody
	Packets                      int     // per host
	Size                         int64   // bytes on the wire
	PsPerByte                    int64   // 80 at 100 Gb/s
	Delay                        int64   // per link, ps
}

// Result is what a run did.
type Result struct {
	Hops      uint64 // packets that arrived at the end of a link
	Delivered uint64
	End       int64 // ps
}

// item is the arrival of a packet at the end of a link.
type item struct {
	at     int64
	packet int32
	node   int32
}

// loop is the state of a run. Nodes are hosts, then leaves, then spines; a port's clock is kept per link
// direction.
type loop struct {
	cfg   Config
	heap  []item
	dst   []int32  // by packet
	src   []int32  // by packet
	hash  []uint32 // by packet: what a switch hashes
	spare []int32
	left  []int32 // by host: packets to send

	hostUp, hostDown []int64 // port clocks, by host
	leafUp           []int64 // by leaf·spines + spine
	spineDown        []int64
	res              Result
}

// Run sends everything and returns when all has arrived.
func Run(cfg Config) Result {
	hosts := cfg.Leaves * cfg.HostsPerLeaf
	l := &loop{
		cfg: cfg, left: make([]int32, hosts),
		hostUp: make([]int64, hosts), hostDown: make([]int64, hosts),
		leafUp: make([]int64, cfg.Leaves*cfg.Spines), spineDown: make([]int64, cfg.Leaves*cfg.Spines),
	}
	for h := range hosts {
		if cfg.Peers[h] >= 0 {
			l.left[h] = int32(cfg.Packets)
			l.inject(int32(h), 0)
		}
	}
	for len(l.heap) > 0 {
		e := l.pop()
		l.res.Hops++
		l.res.End = e.at
		l.step(e)
	}
	return l.res
}

// inject puts the next packet of a host on its link.
func (l *loop) inject(h int32, now int64) {
	if l.left[h] == 0 {
		return
	}
	l.left[h]--
	var p int32
	if n := len(l.spare); n > 0 {
		p = l.spare[n-1]
		l.spare = l.spare[:n-1]
	} else {
		p = int32(len(l.dst))
		l.dst, l.src, l.hash = append(l.dst, 0), append(l.src, 0), append(l.hash, 0)
	}
	l.src[p], l.dst[p] = h, l.cfg.Peers[h]
	l.hash[p] = mix(uint32(h)<<16 ^ uint32(l.left[h]))
	l.send(&l.hostUp[h], now, p, l.leaf(h))
}

// step moves a packet on from where it has arrived.
func (l *loop) step(e item) {
	hosts := int32(len(l.left))
	p, dst := e.packet, l.dst[e.packet]
	switch leaves := int32(l.cfg.Leaves); {
	case e.node < hosts:
		l.res.Delivered++
		l.spare = append(l.spare, p)
	case e.node < hosts+leaves:
		leaf := e.node - hosts
		if l.leaf(l.src[p]) == e.node && l.hash[p]&1 == 0 { // first switch: the host's port is free again
			l.hash[p] |= 1
			l.inject(l.src[p], e.at-l.cfg.Delay)
		}
		if l.leaf(dst) == e.node {
			l.send(&l.hostDown[dst], e.at, p, dst)
			return
		}
		spine := int32(uint64(mix(l.hash[p]^uint32(leaf))) * uint64(l.cfg.Spines) >> 32)
		l.send(&l.leafUp[leaf*int32(l.cfg.Spines)+spine], e.at, p, hosts+leaves+spine)
	default:
		spine := e.node - hosts - leaves
		leaf := l.leaf(dst)
		l.send(&l.spineDown[(leaf-hosts)*int32(l.cfg.Spines)+spine], e.at, p, leaf)
	}
}

// send puts a packet on a port.
func (l *loop) send(free *int64, now int64, p, to int32) {
	*free = max(*free, now) + l.cfg.Size*l.cfg.PsPerByte
	l.push(item{at: *free + l.cfg.Delay, packet: p, node: to})
}

func (l *loop) leaf(h int32) int32 { return int32(len(l.left)) + h/int32(l.cfg.HostsPerLeaf) }

func mix(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	x *= 0x846ca68b
	return (x ^ x>>16) &^ 1
}

func (l *loop) push(e item) {
	l.heap = append(l.heap, e)
	i := len(l.heap) - 1
	for i > 0 && e.at < l.heap[(i-1)/2].at {
		l.heap[i] = l.heap[(i-1)/2]
		i = (i - 1) / 2
	}
	l.heap[i] = e
}

func (l *loop) pop() item {
	top, n := l.heap[0], len(l.heap)-1
	e := l.heap[n]
	l.heap = l.heap[:n]
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && l.heap[c+1].at < l.heap[c].at {
			c++
		}
		if e.at <= l.heap[c].at {
			break
		}
		l.heap[i] = l.heap[c]
		i = c
	}
	if n > 0 {
		l.heap[i] = e
	}
	return top
}
