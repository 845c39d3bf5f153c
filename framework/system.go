// Package framework is the contract between a run and a lab: what a lab is built from, what it is asked to
// run, and what it reports. The labs, scenarios, oracles and the runner are its sub-packages.
package framework

import (
	"context"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// Spec is all that a lab is built from.
type Spec struct {
	Graph    *fabric.Graph
	Devices  []host.Config // one per host, by host number
	Flows    []host.Flow   // connected at build, started by Run
	Run      uint64        // names the run in pattern tags and marking draws
	Name     string        // short run id, for names of kernel objects; [a-z0-9]{1,8}
	StateDir string        // where the write-ahead undo log goes
	Shape    bool          // namespaces: impose rate and delay
	Sample   time.Duration // goodput sample; 0: the lab's default
}

// System is a built lab. Its methods are called from one goroutine.
type System interface {
	// Surfaces is where faults can act here.
	Surfaces() faults.Surfaces
	// Guests are the hosts' application views of memory, by host number.
	Guests() []host.Guest
	// Run releases the flows, steps the injector, and returns when all is settled or Limit is reached. It may
	// be called again: queue pairs stay connected, message numbers go on.
	Run(ctx context.Context, job Job) (*Observation, error)
	// Close tears everything down and waits for it. What could not be removed is in the error.
	Close() error
}

// Job is one release of the flows.
type Job struct {
	Injector Injector      // nil: no faults
	Limit    vtime.Time    // hard stop
	Sink     event.Sink    // gets every event, merged by time, node and sequence; one caller at a time
	Verify   host.Verifier // see host.Verifier
	Progress func(now vtime.Time)
}

// Injector strikes and heals the faults of a plan in lab time. The lab calls Step at or after each Deadline.
type Injector interface {
	// Deadline is the next instant at which something is due; vtime.Never when all is healed.
	Deadline() vtime.Time
	// Step does what is due at now.
	Step(now vtime.Time)
	// Close heals everything that still lies, due or not. It may be called twice.
	Close(now vtime.Time)
}

// Observation is what the lab saw of one Run, beside the events.
type Observation struct {
	Ended   vtime.Time
	Settled bool // all flows done and all faults healed before Limit
	Ports   []Port
	Jitter  time.Duration // p99 lateness of a 1 ms probe (namespaces); 0 in virtual time
	Opened  int           // flows whose end was reached
}

// Port is the ledger of one link direction, from the fabric's own counters (SCENARIO §4):
// Sent + Duplicated = Delivered + ΣDropped + InFlight.
type Port struct {
	Dir        fabric.Dir
	Sent       uint64
	Duplicated uint64
	Delivered  uint64
	Dropped    [event.DropCauses]uint64
	Corrupted  uint64
	InFlight   uint64
	Bytes      uint64 // of Sent
}
