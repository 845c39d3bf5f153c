package report

import "github.com/stellarlab/stellarlab/internal/event"

// causes names the causes of a drop, as the keys of the ledger.
var causes = [event.DropCauses]string{
	event.DropQueue:     "queue",
	event.DropDown:      "down",
	event.DropBlackhole: "blackhole",
	event.DropLoss:      "loss",
	event.DropNoRoute:   "noRoute",
	event.DropICRC:      "icrc",
	event.DropTTL:       "ttl",
	event.DropKernel:    "kernel",
}

// Cause names a cause of a drop.
func Cause(c event.DropCause) string {
	if int(c) < len(causes) && causes[c] != "" {
		return causes[c]
	}
	return "unknown"
}
