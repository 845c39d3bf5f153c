package faults

import (
	"math"

	"github.com/stellarlab/stellarlab/datapath/fabric"
)

// Confirmation says whether a fault was measured (FAULTS law 2).
type Confirmation string

// The confirmations.
const (
	Confirmed  Confirmation = "confirmed"  // it acted: its state was read back, or its own counter moved
	Refuted    Confirmation = "refuted"    // it had the chance, and did not act as asked
	Unmeasured Confirmation = "unmeasured" // nothing came its way
)

// unlikely is the probability below which a count refutes a fault.
const unlikely = 1e-6

// Evidence is what was counted of one occurrence, over all its targets.
type Evidence struct {
	fabric.Counters
	Rule  Rule
	Stood bool // the target's own state said so after the strike and before the heal

	worst float64 // the least likely count of a target, as a bound on its probability; 0 is no bound
	draws bool
	leaks bool // state kinds: something got through a target whose state said that nothing could
}

// Add counts one more target whose acts are drawn with probability chance; negative: not drawn. Each target is
// judged by itself: one that lets everything through is not hidden by others that do not. Set Rule first.
func (e *Evidence) Add(c fabric.Counters, chance float64) {
	e.Seen += c.Seen
	e.Matched += c.Matched
	e.Masked += c.Masked
	if e.Rule == ByState && c.Matched+c.Masked < c.Seen {
		e.leaks = true
	}
	if chance < 0 || c.Seen == 0 {
		return
	}
	if b := tail(c.Matched+c.Masked, c.Seen, chance); !e.draws || b < e.worst {
		e.worst, e.draws = b, true
	}
}

// Confirmed says that the evidence proves the fault.
func (e *Evidence) Confirmed() bool { return e.Judge() == Confirmed }

// Judge applies the rule for confirmations. Two observers have to agree: the target's state, read back, and the
// counters where packets or pages pass. A state that says down while packets come through confirms nothing, and
// neither do packets lost while the state says that nothing lies there.
func (e *Evidence) Judge() Confirmation {
	switch {
	case !e.Stood, e.leaks, e.draws && e.worst < unlikely:
		return Refuted
	case e.Rule == ByState, e.Matched > 0:
		return Confirmed
	}
	return Unmeasured
}

// Shadowed says that other layers hid this one all its life.
func (e *Evidence) Shadowed() bool { return e.Matched == 0 && e.Masked > 0 }

// tail bounds from above the probability of a count at least as far from the expected one as k of n draws with
// probability p is, on its side (Chernoff): what is called unlikely is at least that unlikely.
func tail(k, n uint64, p float64) float64 {
	if p <= 0 || p >= 1 {
		if p <= 0 && k == 0 || p >= 1 && k == n {
			return 1
		}
		return 0
	}
	x := float64(k) / float64(n)
	kl := 0.0
	if x > 0 {
		kl += x * math.Log(x/p)
	}
	if x < 1 {
		kl += (1 - x) * math.Log((1-x)/(1-p))
	}
	return math.Exp(-float64(n) * kl)
}
