// Package oracle judges a run against the invariants that hold whatever a scenario asks: every byte right,
// every work request completed once, in order, nowhere else, counted, and nothing left behind. It asks nothing
// of the component under test: it reads the verbs boundary as the application sees it (Posted, Completed),
// memory (Placed, Verified, BadAccess) and the fabric's own counters.
package oracle
