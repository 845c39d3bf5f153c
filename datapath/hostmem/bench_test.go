//go:build linux

package hostmem_test

import (
	"testing"

	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/hostmem"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// open makes a guest of size bytes in blocks of 2 MiB for a benchmark.
func open(b *testing.B, size uint64) *hostmem.Memory {
	b.Helper()
	m, err := hostmem.Open(hostmem.Config{Size: size, Block: 2 << 20})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := m.Close(); err != nil {
			b.Error(err)
		}
	})
	return m
}

// all pins or evicts the whole guest and waits.
func all(b *testing.B, m *hostmem.Memory, size uint64, evict bool) {
	b.Helper()
	s := mem.Span{Len: size}
	done := make(chan error, 1)
	if evict {
		m.Evict([]mem.Span{s}, func(_ uint64, err error) { done <- err })
	} else {
		m.Pin(host.Request{Block: s}, func(a host.Answer) { done <- a.Err })
	}
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPin populates and locks 64 MiB of absent memory in blocks of 2 MiB; bytes per second count memory.
func BenchmarkPin(b *testing.B) {
	const size = 64 << 20
	m := open(b, size)
	b.SetBytes(size)
	for b.Loop() {
		all(b, m, size, false)
		b.StopTimer()
		all(b, m, size, true)
		b.StartTimer()
	}
}

// BenchmarkEvictAndRepin drops 64 MiB that hold a pattern, and brings them back.
func BenchmarkEvictAndRepin(b *testing.B) {
	const size = 64 << 20
	m := open(b, size)
	if err := m.Fill(0, size, 1); err != nil {
		b.Fatal(err)
	}
	all(b, m, size, false)
	b.SetBytes(size)
	for b.Loop() {
		all(b, m, size, true)
		all(b, m, size, false)
	}
}

// BenchmarkWrite places packets of 4 KiB, as the bus does: record checked, pages touched, bytes moved.
func BenchmarkWrite(b *testing.B) {
	const size = 16 << 20
	m := open(b, size)
	all(b, m, size, false)
	p := mem.Payload{Len: 4096, Bytes: make([]byte, 4096)}
	segs := make([]mem.Segment, 1)
	b.SetBytes(4096)
	b.ReportAllocs()
	at := uint64(0)
	for b.Loop() {
		segs[0] = mem.Segment{HPA: mem.HPA(at % (size - 4096)), Len: 4096}
		at += 4096
		if err := m.Write(0, segs, &p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead hands 4 KiB out without copying.
func BenchmarkRead(b *testing.B) {
	const size = 16 << 20
	m := open(b, size)
	all(b, m, size, false)
	var p mem.Payload
	segs := make([]mem.Segment, 1)
	b.ReportAllocs()
	at := uint64(0)
	for b.Loop() {
		segs[0] = mem.Segment{HPA: mem.HPA(at % (size - 4096)), Len: 4096}
		at += 4096
		if err := m.Read(0, segs, &p); err != nil {
			b.Fatal(err)
		}
	}
}
