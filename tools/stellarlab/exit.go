package main

import (
	"errors"

	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/report"
)

// Exit codes: the public contract of the command.
const (
	exitPass         = 0
	exitFail         = 1
	exitInconclusive = 2
	exitResidue      = 3
	exitMissing      = 4
	exitUsage        = 64
	exitDefect       = 70
	exitInterrupted  = 130
)

// severity orders exit codes of several runs, the worst last.
var severity = []int{exitPass, exitMissing, exitInconclusive, exitFail, exitInterrupted, exitResidue, exitDefect}

// worse returns the worse of two exit codes.
func worse(a, b int) int {
	for i := len(severity) - 1; i >= 0; i-- {
		if a == severity[i] || b == severity[i] {
			return severity[i]
		}
	}
	return max(a, b)
}

// codeOf is the exit code of one verdict.
func codeOf(v *report.Verdict) int {
	switch v.Outcome {
	case expect.Pass:
		return exitPass
	case expect.Fail:
		return exitFail
	case expect.Inconclusive:
		return exitInconclusive
	case expect.Residue:
		return exitResidue
	case expect.Unsupported:
		return exitMissing
	case expect.Interrupted:
		return exitInterrupted
	}
	return exitDefect
}

// exitError is an error that knows its exit code.
type exitError struct {
	code int
	err  error // nil: everything has been said
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error of the caller: nothing was touched.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitUsage, err}
}

// code turns what a command returned into the exit code.
func code(err error) int {
	if err == nil {
		return exitPass
	}
	var e *exitError
	if errors.As(err, &e) {
		return e.code
	}
	return exitUsage // cobra's own errors: unknown flags, verbs, numbers of arguments
}
