// Package main is the stellarlab command: one file per verb, over the framework's packages.
// It decides nothing about networks, faults or verdicts; it reads flags, prints, and chooses the exit code.
package main

import "os"

//go:generate env UPDATE=1 go test -count=1 -run ^TestShippedReferenceIsCurrent$ .

func main() {
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}
