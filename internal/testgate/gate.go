package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// gate counts tests.
type gate struct {
	out      io.Writer
	promised []string // abilities whose lack fails a test
	lines    map[string][]string
	passed   int
	failed   int
	skipped  int
	skips    []string // "package test: message"
	broken   []string // tests and packages that failed, and skips that are none
}

// record is one line of go test -json.
type record struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

func (g *gate) line(b []byte) {
	var r record
	if err := json.Unmarshal(b, &r); err != nil || r.Action == "" {
		fmt.Fprintf(g.out, "%s\n", b)
		return
	}
	key := r.Package + " " + r.Test
	switch r.Action {
	case "output":
		g.lines[key] = append(g.lines[key], r.Output)
	case "build-output":
		fmt.Fprint(g.out, r.Output)
	case "build-fail":
		g.broken = append(g.broken, r.ImportPath+" does not build")
	case "pass":
		if r.Test == "" {
			fmt.Fprintf(g.out, "ok    %-70s %7.2fs\n", r.Package, r.Elapsed)
		} else {
			g.passed++
		}
		delete(g.lines, key)
	case "skip":
		if r.Test != "" {
			g.skip(r, strings.TrimSpace(strings.Join(g.lines[key], "")))
		}
		delete(g.lines, key)
	case "fail":
		g.fail(r, key)
	}
}

// skip counts a skipped test, or a broken one where STRICT does not let it skip.
func (g *gate) skip(r record, output string) {
	message := output
	for l := range strings.Lines(output) {
		if strings.Contains(l, "needs ") {
			message = strings.TrimSpace(l)
		}
	}
	if g.denied(message) {
		g.failed++
		g.broken = append(g.broken, fmt.Sprintf("%s %s skipped although the ability is promised: %s", r.Package, r.Test, message))
		return
	}
	g.skipped++
	g.skips = append(g.skips, fmt.Sprintf("%s %s: %s", r.Package, r.Test, message))
}

func (g *gate) fail(r record, key string) {
	fmt.Fprint(g.out, strings.Join(g.lines[key], ""))
	delete(g.lines, key)
	if r.Test == "" {
		fmt.Fprintf(g.out, "FAIL  %-70s %7.2fs\n", r.Package, r.Elapsed)
		g.broken = append(g.broken, r.Package)
		return
	}
	g.failed++
	g.broken = append(g.broken, r.Package+" "+r.Test)
}
