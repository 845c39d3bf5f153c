package expect

// Outcome says how a claim ended.
type Outcome string

// The outcomes of an expectation, an invariant and a run (SCENARIO §3).
const (
	Pass         Outcome = "pass"
	Fail         Outcome = "fail"
	Inconclusive Outcome = "inconclusive"
	Unsupported  Outcome = "unsupported"
	Interrupted  Outcome = "interrupted"
	Error        Outcome = "error"
	Residue      Outcome = "residue"
)

// worst orders outcomes from the worst, as exit codes are ordered (SCENARIO §2): 70, 3, 130, 1, 2, 4, 0.
var worst = []Outcome{Error, Residue, Interrupted, Fail, Inconclusive, Unsupported, Pass}

// Worse returns the worse of two outcomes. An outcome that is none of the known ones, such as an empty one, is
// worse than all.
func Worse(a, b Outcome) Outcome {
	if a.rank() <= b.rank() {
		return a
	}
	return b
}

func (o Outcome) rank() int {
	for i, w := range worst {
		if o == w {
			return i
		}
	}
	return -1
}

// Exit is the exit code of an outcome (SCENARIO §2).
func (o Outcome) Exit() int {
	switch o {
	case Pass:
		return 0
	case Fail:
		return 1
	case Inconclusive:
		return 2
	case Residue:
		return 3
	case Unsupported:
		return 4
	case Interrupted:
		return 130
	}
	return 70
}
