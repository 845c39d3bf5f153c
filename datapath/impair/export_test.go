//go:build linux

package impair

import "unsafe"

// Tamper disables every layer of d in the kernel, without telling d.
func Tamper(d *Direction) error { return d.maps.write(&config{}) }

// Layout is what the program assumes of the maps' values, and what Go makes of them.
func Layout() (assumed, real []uintptr) {
	var c config
	var s slot
	var t Totals
	var n counts
	assumed = []uintptr{
		sizeHead, sizeSlot, sizeConfig, sizeTotals, sizeLayer, sizeCounts, sizeSent,
		configActive, configZero,
		slotEnabled, slotBlackhole, slotOrder, slotLoss, slotCorrupt, slotKey,
		totalPackets, totalBytes, totalDelivered, totalBlackhole, totalLoss, totalCorrupted, totalOther, totalFailed,
		layerSeen, layerMatched, layerMasked,
	}
	real = []uintptr{
		unsafe.Offsetof(c.Slots), unsafe.Sizeof(s), unsafe.Sizeof(c), unsafe.Offsetof(n.Layers), unsafe.Sizeof(n.Layers[0]), unsafe.Sizeof(n), unsafe.Sizeof(Sent{}),
		unsafe.Offsetof(c.Active), unsafe.Offsetof(c.Zero),
		unsafe.Offsetof(s.Enabled), unsafe.Offsetof(s.Blackhole), unsafe.Offsetof(s.Order), unsafe.Offsetof(s.Loss), unsafe.Offsetof(s.Corrupt), unsafe.Offsetof(s.Key),
		unsafe.Offsetof(t.Packets), unsafe.Offsetof(t.Bytes), unsafe.Offsetof(t.Delivered), unsafe.Offsetof(t.Blackhole), unsafe.Offsetof(t.Loss), unsafe.Offsetof(t.Corrupted), unsafe.Offsetof(t.Other), unsafe.Offsetof(t.Failed),
		unsafe.Offsetof(n.Layers[0].Seen), unsafe.Offsetof(n.Layers[0].Matched), unsafe.Offsetof(n.Layers[0].Masked),
	}
	return assumed, real
}
