// Package mutants builds known-bad variants of the datapath and shows that the suites catch them: the oracle is
// tested too. It changes no file of the tree: a variant is an overlay of patched copies, described in patches.
package mutants
