// Package faults is the catalogue of failures: what each kind models, its parameters, where it acts and what
// proves that it acted. It executes nothing: faults/inject does, in time and with its undo on disk first.
package faults
