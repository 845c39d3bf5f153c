package engine

import (
	"errors"
	"fmt"
)

// Errors of the control and post calls. None of them changes anything.
var (
	ErrUnknownQP = errors.New("engine: no such queue pair")
	ErrFull      = errors.New("engine: send queue full")
	ErrTooLong   = errors.New("engine: message longer than 2 GiB")
	ErrNoQP      = errors.New("engine: all queue pair numbers are in use")
	ErrAttr      = errors.New("engine: attribute out of range")
)

// StateError is a call that the queue pair's state does not allow.
type StateError struct {
	QP   uint32
	Op   string // "post" or "modify"
	From State
	To   State // of modify
}

// Error names the queue pair, the state and what was asked.
func (e *StateError) Error() string {
	if e.Op == "modify" {
		return fmt.Sprintf("engine: queue pair %d: no transition from %v to %v", e.QP, e.From, e.To)
	}
	return fmt.Sprintf("engine: queue pair %d: %s in %v, want RTS", e.QP, e.Op, e.From)
}
