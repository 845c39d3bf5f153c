// Package sim drives devices in virtual time: links with rate, delay and queues, switches that hash, mark and
// drop, and simulated guest memory. It decides nothing about the transport: a device is what host.Device is,
// and the same device runs over sockets.
//
// One thread, and a result that is a function of the inputs alone. Time is kept in picoseconds inside, so that
// a packet at 100 Gb/s takes 80 ps per byte exactly; devices and events see it cut to nanoseconds. A rate that
// does not divide 8e12 carries its remainder from packet to packet: a port never drifts from its rate.
//
// A port is a clock: free is when it has sent all it has. A packet that comes at now leaves at
// max(now, free) + size/rate, arrives delay later, and the queue before it is (free − now)·rate bytes, the rest
// of the packet on the wire included. So a packet costs one event per hop, its arrival; and since a direction
// is a FIFO, only the first packet of each is among the events. Events at one instant run in the order in which they
// were made: a packet's when it became the first of its direction.
//
// What a packet is worth on the wire: the IP datagram plus wire.Framing bytes, or what the sender's configuration
// says instead.
package sim
