package event

import "fmt"

// names are the kinds as journals in text and the command print them, with what A to D hold.
var names = [Kinds]struct{ name, holds string }{
	None:           {"none", ""},
	Posted:         {"posted", "a: work request, b: message, c: bytes, d: target address"},
	Completed:      {"completed", "a: work request, b: status, c: bytes, d: message"},
	QPState:        {"qpState", "a: new state, b: old state, c: peer node, d: peer queue pair"},
	Sent:           {"sent", "a: PSN, b: path<<32|flags, c: payload bytes, d: opcode"},
	Received:       {"received", "a: PSN, b: path<<32|flags, c: payload bytes, d: opcode"},
	Rejected:       {"rejected", "a: cause, b: PSN, c: opcode"},
	Placed:         {"placed", "a: guest address, b: bytes, c: host address"},
	Fetched:        {"fetched", "a: guest address, b: bytes, c: host address"},
	Timeout:        {"timeout", "a: PSN, b: retries"},
	Nak:            {"nak", "a: syndrome, b: PSN"},
	PathLost:       {"pathLost", "a: path, b: PSN"},
	PathOut:        {"pathOut", "a: path, b: first probe"},
	PathBack:       {"pathBack", "a: path"},
	NeedMem:        {"needMem", "a: block, b: bytes, c: ticket"},
	MemReady:       {"memReady", "a: block, b: host address, c: ticket"},
	MemFailed:      {"memFailed", "a: block, b: cause, c: ticket"},
	Unpinned:       {"unpinned", "a: block, b: cause"},
	NeedEntry:      {"needEntry", "a: key, b: page, c: ticket"},
	EntryReady:     {"entryReady", "a: key, b: page, c: ticket"},
	BadAccess:      {"badAccess", "a: cause, b: address, c: bytes"},
	Refused:        {"refused", "a: status, b: address, c: bytes, d: key"},
	Verified:       {"verified", "a: message, b: bytes, c: bad bytes, d: first bad address"},
	FaultStrike:    {"faultStrike", "a: fault, b: requested instant"},
	FaultHeal:      {"faultHeal", "a: fault, b: requested instant"},
	FaultConfirmed: {"faultConfirmed", "a: fault, b: matched"},
	Dropped:        {"dropped", "a: cause, b: bytes, c: fault+1, d: path<<32|PSN"},
	FlowStart:      {"flowStart", "a: flow"},
	FlowDone:       {"flowDone", "a: flow, b: bytes, c: failed"},
}

// String returns the kind's name.
func (k Kind) String() string {
	if k < Kinds {
		return names[k].name
	}
	return fmt.Sprintf("kind%d", uint16(k))
}

// Holds says what A to D mean.
func (k Kind) Holds() string {
	if k < Kinds {
		return names[k].holds
	}
	return ""
}
