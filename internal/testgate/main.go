// Command testgate reads the output of one or more `go test -json` runs, prints what a person wants to see of it,
// and decides. It runs no test, and it trusts no exit code: it counts.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/stellarlab/stellarlab/internal/strict"
)

func main() {
	promised := []string{}
	if os.Getenv("STRICT") == "1" {
		var err error
		if promised, err = strict.Promised("."); err != nil {
			fmt.Fprintln(os.Stderr, "testgate:", err)
			os.Exit(1)
		}
	}
	g := gate{out: os.Stdout, promised: promised, lines: map[string][]string{}}
	if err := g.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testgate:", err)
		os.Exit(1)
	}
	if !g.verdict() {
		os.Exit(1)
	}
}

// read takes every line of the input. A line that is no event is shown: it is a message of the go command.
func (g *gate) read(r io.Reader) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		g.line(s.Bytes())
	}
	return s.Err()
}

// verdict prints the summary and says whether all is well. No test at all is not well.
func (g *gate) verdict() bool {
	for _, s := range g.skips {
		fmt.Fprintln(g.out, "skipped:", s)
	}
	for _, b := range g.broken {
		fmt.Fprintln(g.out, "FAIL:", b)
	}
	bad := g.failed
	if bad == 0 && len(g.broken) > 0 {
		bad = len(g.broken)
	}
	fmt.Fprintf(g.out, "%d passed, %d failed, %d skipped\n", g.passed, bad, g.skipped)
	return len(g.broken) == 0 && g.failed == 0 && g.passed > 0
}

// denied says whether a skip's message names an ability that is promised.
func (g *gate) denied(message string) bool {
	_, rest, ok := strings.Cut(message, "needs ")
	if !ok {
		return false
	}
	ability, _, ok := strings.Cut(rest, ":")
	return ok && slices.Contains(g.promised, strings.TrimSpace(ability))
}
