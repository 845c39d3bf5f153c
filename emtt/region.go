package emtt

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/stellarlab/stellarlab/internal/mem"
)

// Region is a memory region (IBTA 10.6).
type Region struct {
	PD     mem.PD
	VA     mem.VA     // first byte as work requests and packets name it
	Len    uint64     // bytes
	Rights mem.Access // what may be done with it; local reads always may
	Kind   mem.Kind   // decides the route over PCIe (Stellar §6)
	GPA    mem.GPA    // first byte in guest physical memory; the region is contiguous there
	Page   uint64     // bytes per translation entry, a power of two from 4 KiB to 1 GiB; 0: 4 KiB
}

// Bounds of Region.Page.
const (
	MinPage = 4 << 10
	MaxPage = 1 << 30
)

// Validate says which fields are wrong and what would be right; all of them, joined.
func (r Region) Validate() error {
	var errs []error
	if r.PD == 0 {
		errs = append(errs, errors.New("emtt: PD 0: a region needs a protection domain"))
	}
	if r.Len == 0 {
		errs = append(errs, errors.New("emtt: Len 0: a region holds at least one byte"))
	}
	if r.Len > 0 && (uint64(r.VA)+r.Len-1 < uint64(r.VA) || uint64(r.GPA)+r.Len-1 < uint64(r.GPA)) {
		errs = append(errs, fmt.Errorf("emtt: %d bytes from VA %#x, GPA %#x wrap round the end of the address space", r.Len, uint64(r.VA), uint64(r.GPA)))
	}
	if p := r.Page; p != 0 && (p < MinPage || p > MaxPage || bits.OnesCount64(p) != 1) {
		errs = append(errs, fmt.Errorf("emtt: Page %d: want a power of two from 4 KiB to 1 GiB", p))
	}
	return errors.Join(errs...)
}

// Verdict says whether an access is allowed.
type Verdict uint8

// The verdicts, in the order in which they are checked (IBTA 9.7.4.1.5, 10.6.3).
const (
	Allowed     Verdict = iota
	BadKey              // no region has this key now: never had, or its generation has passed
	WrongDomain         // the region belongs to another protection domain
	NoRights            // the region does not allow this
	OutOfBounds         // some byte lies outside the region, or the address wraps
)

// String names the verdict.
func (v Verdict) String() string {
	return [...]string{"allowed", "bad key", "wrong protection domain", "no rights", "out of bounds"}[v]
}

// Access is one access to be checked.
type Access struct {
	PD     mem.PD
	Key    mem.Key
	VA     mem.VA
	Len    uint32     // bytes; 0 touches nothing, only the key and the domain matter
	Rights mem.Access // 0: a local read
}
