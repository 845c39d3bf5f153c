package scenario

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with a scenario, at its place.
type Problem struct {
	File  string `json:"file"`
	Line  int    `json:"line"`  // from 1; 0: the file as a whole
	Field string `json:"field"` // path from the root, such as spec.faults[0].for; "": the file as a whole
	What  string `json:"what"`  // what is wrong and what would have been right
}

// String prints file, line, field and what is wrong.
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	if p.Field == "" {
		return at + ": " + p.What
	}
	return at + ": " + p.Field + ": " + p.What
}

// Problems is every thing that is wrong with a scenario, in order of the file. It is an error.
type Problems []Problem

// Error prints one problem a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}
