// Package engine is the RDMA transport of one device: queue pairs, RDMA WRITE sprayed over many paths,
// acknowledgement and selective retransmission, as a pure machine that is given the time and its inputs.
// It is not a driver and not a device: it owns no clock, thread or socket, knows memory and paths only as
// the interfaces Memory and Paths, and leaves the events Posted and Completed to whoever posts and polls.
//
// An Engine belongs to one owner and is not safe for concurrent use. Equal inputs give equal outputs.
package engine
