package report

import "github.com/stellarlab/stellarlab/framework/expect"

// Schema names the format of verdict.json.
const Schema = "stellarlab.dev/verdict/v1"

// Verdict is verdict.json, version 1. Times are integer nanoseconds of lab time, rates bit/s, shares 0 to 1;
// null is not measured. Outcome is empty until teardown is over: such a file is no pass.
type Verdict struct {
	Schema       string         `json:"schema"`
	Scenario     Scenario       `json:"scenario"`
	Run          string         `json:"run"` // id of the run, also the name of its directory
	Lab          string         `json:"lab"`
	Seed         uint64         `json:"seed"`
	Judgement    expect.Outcome `json:"judgement"`
	Reason       string         `json:"reason"` // the first thing that made the judgement what it is; empty on a pass
	Outcome      expect.Outcome `json:"outcome,omitempty"`
	Teardown     *Teardown      `json:"teardown,omitempty"`
	Started      string         `json:"started"` // RFC 3339, wall time
	WallSeconds  float64        `json:"wallSeconds"`
	LabSeconds   float64        `json:"labSeconds"`
	Settled      bool           `json:"settled"`  // ended by itself, not by its limit
	JitterNanos  int64          `json:"jitter"`   // p99 lateness of the lab's timers
	SampleNanos  int64          `json:"sample"`   // of goodput
	Baseline     *Baseline      `json:"baseline"` // null where no expectation needs one
	Expectations []Expectation  `json:"expectations"`
	Invariants   []Invariant    `json:"invariants"`
	Faults       []Fault        `json:"faults"`
	Workloads    []Workload     `json:"workloads"`
	Ledger       Ledger         `json:"ledger"`
	Paths        []Path         `json:"paths"`
	Ports        []Port         `json:"ports"`
	Residue      []Residue      `json:"residue"`
	Journal      Journal        `json:"journal"`
}

// Scenario names what was run.
type Scenario struct {
	Name   string `json:"name"`
	Digest string `json:"digest"` // sha256 of the resolved scenario
}

// Teardown is what happened after the judgement.
type Teardown struct {
	Outcome expect.Outcome `json:"outcome"` // pass, residue or error
	Residue []Residue      `json:"residue"`
}

// Baseline says what the shares of expectations are shares of.
type Baseline struct {
	Source string `json:"source"` // twin, or the median of how many twins
	Digest string `json:"digest"` // of the twin's events
}

// Expectation is the outcome of one expectation.
type Expectation struct {
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`
	Outcome  expect.Outcome `json:"outcome"`
	Measured *float64       `json:"measured"`
	Limit    *float64       `json:"limit"`
	Unit     string         `json:"unit"`
	Message  string         `json:"message"`
}

// Invariant is the outcome of one invariant.
type Invariant struct {
	Name       string         `json:"name"`
	Outcome    expect.Outcome `json:"outcome"`
	Checked    uint64         `json:"checked"`
	Total      uint64         `json:"total"` // violations, of which the first are listed
	Violations []Violation    `json:"violations"`
	Message    string         `json:"message"`
}

// Violation is one violation of an invariant.
type Violation struct {
	At        int64  `json:"at"`
	What      string `json:"what"`
	Operation string `json:"operation"`
	Path      *int   `json:"path"`
	Fault     string `json:"fault"`
}

// Span is when a fault acted: At is its start, For its length. Null: it did not.
type Span struct {
	At  *int64 `json:"at"`
	For *int64 `json:"for"`
}

// Fault is what became of one fault occurrence.
type Fault struct {
	Name         string         `json:"name"`
	Kind         string         `json:"kind"`
	Target       []string       `json:"target"`
	Optional     bool           `json:"optional"`
	Requested    Span           `json:"requested"`
	Achieved     Span           `json:"achieved"`
	Confirmation string         `json:"confirmation"` // confirmed, refuted, unmeasured
	Evidence     map[string]any `json:"evidence"`
	Effect       *Effect        `json:"effect"`
}

// Effect is what a fault did to the workloads.
type Effect struct {
	DetectedAfter  *int64   `json:"detectedAfter"`
	GoodputFloor   *float64 `json:"goodputFloor"` // worst sample of any workload, as a share of its baseline
	RecoveredAfter *int64   `json:"recoveredAfter"`
	Relapses       *int     `json:"relapses"`
	Retransmits    *uint64  `json:"retransmits"`
}

// Workload is what was measured of one workload.
type Workload struct {
	Name        string      `json:"name"`
	Operations  uint64      `json:"operations"`
	Bytes       uint64      `json:"bytes"`
	Failures    uint64      `json:"failures"`
	Packets     uint64      `json:"packets"`
	Retransmits uint64      `json:"retransmits"`
	Goodput     *Goodput    `json:"goodput"`
	Latency     *Latency    `json:"latency"`
	Completion  *Completion `json:"completion"`
}

// Goodput is in bit/s, over the samples in which the workload was loaded.
type Goodput struct {
	Mean float64 `json:"mean"`
	P01  float64 `json:"p01"`
	P50  float64 `json:"p50"`
}

// Latency of messages, from post to completion, in nanoseconds.
type Latency struct {
	P50  int64 `json:"p50"`
	P99  int64 `json:"p99"`
	P999 int64 `json:"p999"`
	Max  int64 `json:"max"`
}

// Completion of whole flows or messages, in microseconds.
type Completion struct {
	Count uint64  `json:"count"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// Ledger sums the packets of all link directions.
type Ledger struct {
	Sent       uint64            `json:"sent"`
	Delivered  uint64            `json:"delivered"`
	Dropped    map[string]uint64 `json:"dropped"`
	Duplicated uint64            `json:"duplicated"`
	Corrupted  uint64            `json:"corrupted"`
	InFlight   uint64            `json:"inFlight"`
	Balanced   bool              `json:"balanced"`
}

// Port is the ledger of one link direction.
type Port struct {
	Name string `json:"name"`
	Ledger
	Bytes uint64 `json:"bytes"`
}

// Path is what one path carried, of all workloads.
type Path struct {
	ID          int    `json:"id"`
	Packets     uint64 `json:"packets"`
	Bytes       uint64 `json:"bytes"`
	Retransmits uint64 `json:"retransmits"`
	Lost        uint64 `json:"lost"`
}

// Residue is one thing that was left behind.
type Residue struct {
	Kind     string `json:"kind"`
	Identity string `json:"identity"`
	Owner    string `json:"owner"`
}

// Journal says where the events are.
type Journal struct {
	File   string `json:"file"`
	Digest string `json:"digest"`
	Events uint64 `json:"events"`
}
