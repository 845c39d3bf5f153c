package mutants

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

// Mutant is a known-bad variant of the product, as data.
type Mutant struct {
	Name      string `yaml:"name"`
	Why       string `yaml:"why"`   // what is broken, and what would go wrong for a user
	Suite     string `yaml:"suite"` // package whose suite must fail, such as ./suites/recovery
	Focus     string `yaml:"focus"` // label filter of the suite; empty: sim
	Edits     []Edit `yaml:"edits"`
	Invariant string `yaml:"invariant"` // invariant or expectation that is meant to notice; for the report
}

// Edit replaces one piece of text in one file. Old must occur exactly once: a patch that no longer applies, or
// applies in two places, proves nothing any more.
type Edit struct {
	File string `yaml:"file"` // from the root of the module
	Old  string `yaml:"old"`
	New  string `yaml:"new"`
}

// ErrStale is wrapped by the error of an edit that does not apply exactly once.
var ErrStale = errors.New("patch does not apply exactly once")

// Load reads every mutant of a directory, sorted by file name.
func Load(dir fs.FS) ([]Mutant, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("mutants: %w", err)
	}
	var out []Mutant
	for _, n := range names {
		text, err := fs.ReadFile(dir, n)
		if err != nil {
			return nil, fmt.Errorf("mutants: %w", err)
		}
		var m Mutant
		if err := yaml.UnmarshalWithOptions(text, &m, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("mutants: %s: %w", n, err)
		}
		if err := m.validate(); err != nil {
			return nil, fmt.Errorf("mutants: %s: %w", n, err)
		}
		if want := m.Name + ".yaml"; n != want {
			return nil, fmt.Errorf("mutants: %s holds mutant %q: call the file %s", n, m.Name, want)
		}
		out = append(out, m)
	}
	return out, nil
}

func (m *Mutant) validate() error {
	var errs []error
	for _, f := range []struct{ name, value string }{{"name", m.Name}, {"why", m.Why}, {"suite", m.Suite}} {
		if strings.TrimSpace(f.value) == "" {
			errs = append(errs, fmt.Errorf("%s is missing", f.name))
		}
	}
	if len(m.Edits) == 0 {
		errs = append(errs, errors.New("edits are missing"))
	}
	for i, e := range m.Edits {
		if e.File == "" || e.Old == "" || e.Old == e.New {
			errs = append(errs, fmt.Errorf("edit %d: file and old are needed, and new must differ", i))
		}
	}
	return errors.Join(errs...)
}

// Patched returns the text of every file that the mutant changes, by its path from the module's root.
func (m *Mutant) Patched(root string) (map[string]string, error) {
	out := map[string]string{}
	for i, e := range m.Edits {
		text, ok := out[e.File]
		if !ok {
			b, err := os.ReadFile(filepath.Join(root, e.File))
			if err != nil {
				return nil, fmt.Errorf("mutant %s, edit %d: %w: %w", m.Name, i, ErrStale, err)
			}
			text = string(b)
		}
		old := strings.TrimRight(e.Old, "\n")
		if n := strings.Count(text, old); n != 1 {
			return nil, fmt.Errorf("mutant %s, edit %d: %w: %s holds the old text %d times", m.Name, i, ErrStale, e.File, n)
		}
		out[e.File] = strings.Replace(text, old, strings.TrimRight(e.New, "\n"), 1)
	}
	return out, nil
}
