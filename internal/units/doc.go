// Package units is the quantities of a scenario file as types that read and write their text: durations, sizes,
// rates and shares.
// It is not a general unit library: what the file format does not allow is refused, with what would be right.
package units

import "fmt"

// Error says which text is no quantity of its type, and what would be.
type Error struct {
	Text string
	Want string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%q: want %s", e.Text, e.Want) }
