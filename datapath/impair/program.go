//go:build linux

package impair

import (
	"fmt"

	"github.com/cilium/ebpf/asm"
)

// What a layer does to a packet that it hits.
const (
	actBlackhole = 1 + iota
	actLoss
	actCorrupt
)

// Offsets within config, slot, Totals and fabric.Counters, bytes.
const (
	configActive = 0
	configZero   = 8

	slotEnabled   = 0
	slotBlackhole = 8
	slotOrder     = 16
	slotLoss      = 24
	slotCorrupt   = 32
	slotKey       = 40

	totalPackets   = 0
	totalBytes     = 8
	totalDelivered = 16
	totalBlackhole = 24
	totalLoss      = 32
	totalCorrupted = 40
	totalOther     = 48
	totalFailed    = 56

	layerSeen    = 0
	layerMatched = 8
	layerMasked  = 16
)

// impairment is the program of one direction. Every enabled layer draws for every packet; of those that hit,
// the first in order of injection acts and is credited, the others count the packet as masked (FAULTS law 1).
// R6 is the packet, R7 its mixed identity, R8 the winning slot plus one, R9 the counters.
//
// The kernel's verifier follows every value that it knows for itself: winner and action would multiply the
// paths through sixteen slots, and loading take 50 ms. Both are therefore made of a zero and a one that are
// read from the map, which the verifier cannot know.
func impairment(m *maps) asm.Instructions {
	c := &code{}
	c.add(asm.LoadMapValue(asm.R9, m.counts.FD(), 0))
	c.roce("other")
	c.count(asm.R9, totalPackets)
	c.add(
		asm.LoadMem(asm.R1, asm.RFP, atLen, asm.DWord),
		asm.AddAtomic.Mem(asm.R9, asm.R1, asm.DWord, totalBytes),
		asm.LoadMapValue(asm.R2, m.config.FD(), 0),
		asm.LoadMem(asm.R1, asm.R2, configActive, asm.DWord),
		asm.JEq.Imm(asm.R1, 0, "deliver"),
		asm.LoadMem(asm.R8, asm.R2, configZero, asm.DWord),
	)
	c.identity()
	c.mix(asm.R7, asm.R1)
	for i := range Slots {
		c.layer(m, i)
	}
	c.at("drawn")
	c.add(asm.JEq.Imm(asm.R8, 0, "deliver"))
	c.winner()
	c.add(
		asm.LoadMem(asm.R1, asm.RFP, atAct, asm.DWord),
		asm.JEq.Imm(asm.R1, actBlackhole, "blackhole"),
		asm.JEq.Imm(asm.R1, actLoss, "loss"),
	)
	c.corrupt()
	c.add(asm.Ja.Label("deliver"))
	c.at("failed")
	c.count(asm.R9, totalFailed)
	c.at("deliver")
	c.count(asm.R9, totalDelivered)
	c.at("pass")
	c.add(asm.Mov.Imm(asm.R0, verdictNext), asm.Return())
	c.at("other")
	c.count(asm.R9, totalOther)
	c.add(asm.Ja.Label("pass"))
	c.at("blackhole")
	c.count(asm.R9, totalBlackhole)
	c.add(asm.Ja.Label("drop"))
	c.at("loss")
	c.count(asm.R9, totalLoss)
	c.at("drop")
	c.count(asm.R8, sizeTotals+layerMatched)
	c.add(asm.Mov.Imm(asm.R0, verdictDrop), asm.Return())
	return c.ins
}

// layer draws for slot i.
func (c *code) layer(m *maps, i int) {
	name := func(s string) string { return fmt.Sprintf("%s%d", s, i) }
	next := "drawn"
	if i+1 < Slots {
		next = fmt.Sprintf("slot%d", i+1)
	}
	own := int16(sizeTotals + i*sizeLayer)

	c.at(name("slot"))
	c.add(
		asm.LoadMapValue(asm.R5, m.config.FD(), uint32(sizeHead+i*sizeSlot)),
		asm.LoadMem(asm.R1, asm.R5, slotEnabled, asm.DWord),
		asm.JEq.Imm(asm.R1, 0, next),
	)
	c.count(asm.R9, own+layerSeen)
	c.add(
		asm.LoadMem(asm.R0, asm.R5, slotKey, asm.DWord),
		asm.Xor.Reg(asm.R0, asm.R7),
	)
	c.mix(asm.R0, asm.R1)
	c.add(
		asm.Mov.Reg(asm.R1, asm.R0),
		asm.RSh.Imm(asm.R1, 32),
		asm.Mov.Imm(asm.R2, actBlackhole),
		asm.LoadMem(asm.R3, asm.R5, slotBlackhole, asm.DWord),
		asm.JNE.Imm(asm.R3, 0, name("hit")),
		asm.Mov.Imm(asm.R2, actLoss),
		asm.LoadMem(asm.R3, asm.R5, slotLoss, asm.DWord),
		asm.JLT.Reg(asm.R1, asm.R3, name("hit")),
		asm.Mov.Imm(asm.R2, actCorrupt),
		asm.LoadMem(asm.R3, asm.R5, slotCorrupt, asm.DWord),
		asm.JGE.Reg(asm.R1, asm.R3, next),
	)
	c.at(name("hit"))
	c.add(
		asm.LoadMem(asm.R3, asm.R5, slotOrder, asm.DWord),
		asm.JEq.Imm(asm.R8, 0, name("win")),
		asm.LoadMem(asm.R4, asm.RFP, atOrder, asm.DWord),
		asm.JLT.Reg(asm.R3, asm.R4, name("displace")),
	)
	c.count(asm.R9, own+layerMasked)
	c.add(asm.Ja.Label(next))
	c.at(name("displace"))
	c.winner()
	c.count(asm.R8, sizeTotals+layerMasked)
	c.at(name("win"))
	c.add(
		asm.LoadMem(asm.R8, asm.R5, slotEnabled, asm.DWord),
		asm.Mul.Reg(asm.R2, asm.R8),
		asm.Mul.Imm(asm.R8, int32(i+1)),
		asm.StoreMem(asm.RFP, atOrder, asm.R3, asm.DWord),
		asm.StoreMem(asm.RFP, atAct, asm.R2, asm.DWord),
		asm.StoreMem(asm.RFP, atHash, asm.R0, asm.DWord),
	)
}

// winner turns R8 from the winning slot plus one into the address of its counters, short of the totals.
func (c *code) winner() {
	c.add(
		asm.Sub.Imm(asm.R8, 1),
		asm.JGT.Imm(asm.R8, Slots-1, "deliver"), // never: for the verifier
		asm.Mul.Imm(asm.R8, sizeLayer),
		asm.Add.Reg(asm.R8, asm.R9),
	)
}

// corrupt flips bits of one byte behind the BTH. The byte and its bits come from the low half of the winner's
// hash, which the draw does not use. The BTH is spared because the ICRC masks one byte of it (IBTA 7.8.1),
// and a flip there would be seen by nobody.
func (c *code) corrupt() {
	const spare = 20 + 8 + bthLen // of the IPv4 length
	c.add(
		asm.LoadMem(asm.R1, asm.RFP, atLen, asm.DWord),
		asm.JLE.Imm(asm.R1, spare, "failed"),
		asm.Sub.Imm(asm.R1, spare),
		asm.LoadMem(asm.R7, asm.RFP, atHash, asm.Word),
		asm.Mod.Reg(asm.R7, asm.R1),
		asm.Add.Imm(asm.R7, headLen),
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.Mov.Reg(asm.R2, asm.R7),
		asm.Mov.Reg(asm.R3, asm.RFP),
		asm.Add.Imm(asm.R3, atByte),
		asm.Mov.Imm(asm.R4, 1),
		asm.FnSkbLoadBytes.Call(),
		asm.JNE.Imm(asm.R0, 0, "failed"),
		asm.LoadMem(asm.R1, asm.RFP, atByte, asm.Byte),
		asm.LoadMem(asm.R2, asm.RFP, atHash, asm.Word),
		asm.RSh.Imm(asm.R2, 24),
		asm.Or.Imm(asm.R2, 1), // never a flip of nothing
		asm.Xor.Reg(asm.R1, asm.R2),
		asm.StoreMem(asm.RFP, atByte, asm.R1, asm.Byte),
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.Mov.Reg(asm.R2, asm.R7),
		asm.Mov.Reg(asm.R3, asm.RFP),
		asm.Add.Imm(asm.R3, atByte),
		asm.Mov.Imm(asm.R4, 1),
		asm.Mov.Imm(asm.R5, 0),
		asm.FnSkbStoreBytes.Call(),
		asm.JNE.Imm(asm.R0, 0, "failed"),
	)
	c.count(asm.R8, sizeTotals+layerMatched)
	c.count(asm.R9, totalCorrupted)
}
