// Package archtest holds the tests that keep the architecture: layers, purity of the core, package comments, file
// size. It has no code that a program could import.
package archtest
