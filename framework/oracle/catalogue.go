package oracle

import "github.com/stellarlab/stellarlab/internal/event"

// Invariant describes one invariant of the catalogue.
type Invariant struct {
	Name string
	Says string // the claim, in one sentence

	build func(*Judge) claim
}

// claim is an invariant at work in one run.
type claim interface {
	// on returns what the claim wants to see. It is asked once.
	on() []handler
	// finish looks at the end of the run.
	finish(s *step, end *End)
	// result is the tally so far.
	result() *tally
}

// handler is a claim's interest in one kind of event.
type handler struct {
	kind event.Kind
	see  func(*step)
}

// Catalogue returns all invariants, sorted by name. Residue is judged after teardown by Residue.
func Catalogue() []Invariant {
	return []Invariant{
		{Name: "exactlyOnce", Says: "every posted work request gets exactly one completion, and every byte of a message is placed exactly once", build: newExactlyOnce},
		{Name: "integrity", Says: "target memory holds the bytes of every message that completed with success", build: newIntegrity},
		{Name: "isolation", Says: "no byte is placed outside the outstanding messages of the flows that target the host", build: newIsolation},
		{Name: "ledger", Says: "on every link direction sent and duplicated packets are delivered, dropped for a named cause, or in flight", build: newLedger},
		{Name: "ordering", Says: "completions come in order of posting, and no byte of a message is visible before the message before it is whole", build: newOrdering},
		{Name: "progress", Says: "no flow stands still for twice its retry budget while a path is up", build: newProgress},
		{Name: "residue", Says: "teardown leaves nothing behind", build: nil},
		{Name: "translationSafety", Says: "no DMA touches memory that is not pinned, mapped and permitted", build: newTranslationSafety},
	}
}

// Lookup returns the invariant called name.
func Lookup(name string) (Invariant, bool) {
	for _, i := range Catalogue() {
		if i.Name == name {
			return i, true
		}
	}
	return Invariant{}, false
}
