// Package spray decides which path a packet takes and how much may be outstanding: policies, path health and
// one congestion window that all paths of a queue pair share (Stellar §7, §9).
// It sees no packet and keeps no clock: the transport reports what was acknowledged and what was lost.
//
// The words: a path is an entropy value, carried in the UDP source port, that every switch hashes; OBS is
// oblivious packet spraying.
package spray
