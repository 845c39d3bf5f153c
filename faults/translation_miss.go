package faults

import (
	"errors"
	"fmt"

	"github.com/stellarlab/stellarlab/internal/units"
)

// TranslationMiss are the parameters of translation.miss.
type TranslationMiss struct {
	Level string            `yaml:"level" default:"mtt" doc:"which cache misses: mtt, the translation table's"`
	Rate  units.Probability `yaml:"rate" default:"100%" doc:"probability that a look-up misses; 0 never acts"`
	Cost  units.Duration    `yaml:"cost" default:"2us" doc:"until a missing entry has been fetched"`
}

var translationMiss = Kind{
	Name:     "translation.miss",
	Models:   "miss storm: the device's translation cache has gone cold or is being thrashed",
	Sim:      "a level over the device's translation table misses; each miss leaves as a request that is answered after its cost",
	Netns:    "the same level over the same table, in the device's owner loop",
	Evidence: "look-ups that this level made miss, of look-ups seen",
	Undo:     "the level is removed; requests that are out are answered",
	Composes: "levels draw separately; the costs of those that miss add",
	Example:  "{name: cold, at: 1ms, for: 5ms, translation.miss: {device: host2/dev0, rate: 50%, cost: 4us}}",
	Aim:      AtDevice, Rule: ByTraffic, Needs: needsTranslation,
	New: func() Fault { return &TranslationMiss{Level: "mtt", Rate: 1, Cost: 2000} },
}

// maxMissCost bounds what one miss may cost: beyond it the fault is another one, a hung device.
const maxMissCost = units.Duration(1e9)

// Validate implements Fault.
func (f *TranslationMiss) Validate() error {
	errs := []error{probability("rate", f.Rate)}
	if f.Level != "mtt" {
		errs = append(errs, fmt.Errorf("level is %q: want mtt", f.Level))
	}
	if f.Cost < 0 || f.Cost > maxMissCost {
		errs = append(errs, fmt.Errorf("cost is %v: want at most %v", f.Cost, maxMissCost))
	}
	return errors.Join(errs...)
}

// Strike implements Fault.
func (f *TranslationMiss) Strike(s Surfaces, t Strike) (Active, error) {
	o, err := s.Translation.Miss(t.Host, Misses{Fault: t.Index, Rate: float64(f.Rate), Cost: f.Cost.Std(), Key: t.Key})
	if err != nil {
		return nil, err
	}
	return chance{o, float64(f.Rate)}, nil
}
