// Package journal is the event stream on disk: compact, append-only, readable after a crash, and equal for equal
// runs. It judges nothing and keeps no wall time.
package journal
