package wire

import "errors"

// Causes for which Decode refuses a packet; errors of Decode wrap one of them.
var (
	ErrMalformed = errors.New("wire: malformed packet")
	ErrOpcode    = errors.New("wire: opcode not in use")
	ErrVersion   = errors.New("wire: unknown version of the spray extension")
	ErrICRC      = errors.New("wire: ICRC mismatch")
)
