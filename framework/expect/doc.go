// Package expect measures a run and judges what its scenario expects of it: goodput, recovery, completion and
// the like, one expectation per file. It does not judge what must hold in every run: framework/oracle does.
package expect
