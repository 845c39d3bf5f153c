// Package stability asks whether the fabric stays correct while something is wrong: each spec runs a scenario under
// loss, corruption, evicted memory or missing translations and reads its verdict. It holds no logic: what a verdict
// says is decided by framework/run.
package stability
