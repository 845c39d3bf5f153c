// Package recovery asks whether the fabric comes back: each spec runs a scenario in which something dies for a while
// and reads its verdict. It holds no logic: what a verdict says is decided by framework/run.
package recovery
