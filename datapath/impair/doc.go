// Package impair is what a link direction does to packets in the namespace lab: one eBPF program at the
// receiving end that drops, corrupts and counts, steered by a map. It is not a fault catalogue and keeps no
// plan: it holds layers and counts exactly what each of them did.
package impair
