package plan

import (
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/units"
)

// faultYAML is Fault as the file has it: the parameters' type depends on the kind.
type faultYAML struct {
	Name     string         `yaml:"name"`
	Kind     string         `yaml:"kind"`
	At       units.Duration `yaml:"at"`
	For      units.Duration `yaml:"for"`
	Targets  []Target       `yaml:"targets"`
	Key      seed.Key       `yaml:"key"`
	Optional bool           `yaml:"optional,omitempty"`
	Params   rawYAML        `yaml:"params,omitempty"`
}

type rawYAML []byte

// UnmarshalYAML implements yaml.BytesUnmarshaler.
func (r *rawYAML) UnmarshalYAML(b []byte) error {
	*r = append([]byte(nil), b...)
	return nil
}

// UnmarshalYAML implements yaml.BytesUnmarshaler; unknown fields are errors.
func (f *Fault) UnmarshalYAML(b []byte) error {
	var y faultYAML
	if err := yaml.UnmarshalWithOptions(b, &y, yaml.Strict()); err != nil {
		return err
	}
	kind, ok := faults.Lookup(y.Kind)
	if !ok {
		return fmt.Errorf("fault %s: kind %q is not in this build's catalogue", y.Name, y.Kind)
	}
	params := kind.New()
	if len(y.Params) > 0 {
		if err := yaml.UnmarshalWithOptions(y.Params, params, yaml.Strict()); err != nil {
			return fmt.Errorf("fault %s: params: %w", y.Name, err)
		}
	}
	*f = Fault{
		Name: y.Name, Kind: y.Kind, At: y.At, For: y.For, Targets: y.Targets, Key: y.Key,
		Optional: y.Optional, Params: params,
	}
	return nil
}
