//go:build linux

package impair

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/wire"
)

// Offsets in the frame, bytes. Packets with IP options or fragments are not ours: senders make neither.
const (
	ethernet  = 14
	ipStart   = ethernet
	udpStart  = ipStart + 20
	bthStart  = udpStart + 8
	bthLen    = 12
	headLen   = bthStart + bthLen
	rethLen   = 16
	aethLen   = 4
	extension = 8 // the fixed head of the spray extension, docs/wire.md

	opWriteOnly   = int32(wire.WriteOnly)   // BTH, RETH, extension
	opAcknowledge = int32(wire.Acknowledge) // BTH, AETH, extension
)

// Stack slots, by offset from the frame pointer.
const (
	atHead  = -64 // headLen bytes
	atExt   = -72 // extension bytes
	atLen   = -80 // IPv4 total length
	atOrder = -88 // of the winning layer
	atAct   = -96
	atHash  = -104
	atByte  = -112
)

// verdictNext lets later programs and the stack have the packet, verdictDrop frees it (TCX_NEXT, TCX_DROP).
const (
	verdictNext = -1
	verdictDrop = 2
)

// load verifies a program. Nothing in it calls GPL-only helpers.
func load(name string, code asm.Instructions) (*ebpf.Program, error) {
	return ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: name, Type: ebpf.SchedCLS, License: "Apache-2.0", Instructions: code,
	})
}

// code collects instructions; a label goes on the next one.
type code struct {
	ins   asm.Instructions
	label string
}

func (c *code) add(ins ...asm.Instruction) {
	for _, i := range ins {
		if c.label != "" {
			i = i.WithSymbol(c.label)
			c.label = ""
		}
		c.ins = append(c.ins, i)
	}
}

// at names the next instruction.
func (c *code) at(label string) {
	if c.label != "" {
		c.add(asm.Mov.Reg(asm.R0, asm.R0))
	}
	c.label = label
}

// count adds one to the word at off of the value that base points to. It uses R1.
func (c *code) count(base asm.Register, off int16) {
	c.add(
		asm.Mov.Imm(asm.R1, 1),
		asm.AddAtomic.Mem(base, asm.R1, asm.DWord, off),
	)
}

// bytes copies n bytes from off of the packet in R6 to the stack at to. It uses R0 to R5, and jumps to fail
// when the packet is shorter.
func (c *code) bytes(off, n int32, to int16, fail string) {
	c.add(
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.Mov.Imm(asm.R2, off),
		asm.Mov.Reg(asm.R3, asm.RFP),
		asm.Add.Imm(asm.R3, int32(to)),
		asm.Mov.Imm(asm.R4, n),
		asm.FnSkbLoadBytes.Call(),
		asm.JNE.Imm(asm.R0, 0, fail),
	)
}

// roce leaves the packet's context in R6 and its IPv4 length at atLen, and jumps to other for what is not an
// unfragmented RoCEv2 packet with a whole BTH.
func (c *code) roce(other string) {
	c.add(asm.Mov.Reg(asm.R6, asm.R1))
	c.bytes(0, headLen, atHead, other)
	c.add(
		asm.LoadMem(asm.R1, asm.RFP, atHead+12, asm.Half),
		asm.HostTo(asm.BE, asm.R1, asm.Half),
		asm.JNE.Imm(asm.R1, 0x0800, other),
		asm.LoadMem(asm.R1, asm.RFP, atHead+ipStart, asm.Byte),
		asm.JNE.Imm(asm.R1, 0x45, other),
		asm.LoadMem(asm.R1, asm.RFP, atHead+ipStart+9, asm.Byte),
		asm.JNE.Imm(asm.R1, 17, other),
		asm.LoadMem(asm.R1, asm.RFP, atHead+ipStart+6, asm.Half),
		asm.HostTo(asm.BE, asm.R1, asm.Half),
		asm.And.Imm(asm.R1, 0x3fff), // more fragments, or an offset
		asm.JNE.Imm(asm.R1, 0, other),
		asm.LoadMem(asm.R1, asm.RFP, atHead+udpStart+2, asm.Half),
		asm.HostTo(asm.BE, asm.R1, asm.Half),
		asm.JNE.Imm(asm.R1, wire.Port, other),
		asm.LoadMem(asm.R1, asm.RFP, atHead+ipStart+2, asm.Half),
		asm.HostTo(asm.BE, asm.R1, asm.Half),
		asm.StoreMem(asm.RFP, atLen, asm.R1, asm.DWord),
	)
}

// identity leaves fabric.Identity of the packet in R7. A packet of an opcode that carries no extension, or
// too short for it, is named by its destination queue pair and PSN.
func (c *code) identity() {
	c.add(asm.LoadMem(asm.R7, asm.RFP, atHead+bthStart+5, asm.Byte))
	for i := int16(6); i <= 7; i++ {
		c.add(
			asm.LSh.Imm(asm.R7, 8),
			asm.LoadMem(asm.R1, asm.RFP, atHead+bthStart+i, asm.Byte),
			asm.Or.Reg(asm.R7, asm.R1),
		)
	}
	c.add(
		asm.LSh.Imm(asm.R7, 40),
		asm.LoadMem(asm.R1, asm.RFP, atHead+bthStart, asm.Byte),
		asm.JEq.Imm(asm.R1, opWriteOnly, "data"),
		asm.JNE.Imm(asm.R1, opAcknowledge, "plain"),
	)
	c.bytes(headLen+aethLen, extension, atExt, "plain")
	c.add(asm.Ja.Label("extended"))
	c.at("data")
	c.bytes(headLen+rethLen, extension, atExt, "plain")
	c.at("extended")
	c.add(
		asm.LoadMem(asm.R1, asm.RFP, atExt+2, asm.Half),
		asm.HostTo(asm.BE, asm.R1, asm.Half),
		asm.LSh.Imm(asm.R1, 24),
		asm.Or.Reg(asm.R7, asm.R1),
		asm.LoadMem(asm.R1, asm.RFP, atExt+4, asm.Word),
		asm.HostTo(asm.BE, asm.R1, asm.Word),
		asm.Xor.Reg(asm.R7, asm.R1),
		asm.Ja.Label("identified"),
	)
	c.at("plain")
	c.add(asm.LoadMem(asm.R2, asm.RFP, atHead+bthStart+9, asm.Byte))
	for i := int16(10); i <= 11; i++ {
		c.add(
			asm.LSh.Imm(asm.R2, 8),
			asm.LoadMem(asm.R1, asm.RFP, atHead+bthStart+i, asm.Byte),
			asm.Or.Reg(asm.R2, asm.R1),
		)
	}
	c.add(asm.Xor.Reg(asm.R7, asm.R2))
	c.at("identified")
	c.add( // the sender's address, in halves: the stack is read aligned
		asm.LoadMem(asm.R1, asm.RFP, atHead+ipStart+12, asm.Half),
		asm.HostTo(asm.BE, asm.R1, asm.Half),
		asm.LSh.Imm(asm.R1, 16),
		asm.LoadMem(asm.R2, asm.RFP, atHead+ipStart+14, asm.Half),
		asm.HostTo(asm.BE, asm.R2, asm.Half),
		asm.Or.Reg(asm.R1, asm.R2),
	)
	factor := uint64(fabric.SourceFactor)
	c.add(
		asm.LoadImm(asm.R2, int64(factor), asm.DWord),
		asm.Mul.Reg(asm.R1, asm.R2),
		asm.Xor.Reg(asm.R7, asm.R1),
	)
}

// mix applies seed.Mix to r, using t.
func (c *code) mix(r, t asm.Register) {
	shift := func(n int32) {
		c.add(asm.Mov.Reg(t, r), asm.RSh.Imm(t, n), asm.Xor.Reg(r, t))
	}
	times := func(k uint64) {
		c.add(asm.LoadImm(t, int64(k), asm.DWord), asm.Mul.Reg(r, t))
	}
	shift(30)
	times(0xbf58476d1ce4e5b9)
	shift(27)
	times(0x94d049bb133111eb)
	shift(31)
}
