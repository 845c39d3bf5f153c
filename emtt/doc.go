// Package emtt is the extended memory translation table of the RNIC: memory regions with keys, protection
// domains, access rights and memory types, and the cache in front of the table (Stellar §6).
// It moves no byte and knows no host address of guest memory: pvdma resolves guest physical memory.
//
// A Table belongs to one owner and is not safe for concurrent use.
package emtt
