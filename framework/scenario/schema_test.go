package scenario_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

// go generate ./framework/scenario writes the file anew: it runs this test with UPDATE=1.
func TestShippedSchemaIsCurrent(t *testing.T) {
	const path = "../../docs/scenario.schema.json"
	want, err := scenario.Schema()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, want, 0o644); err != nil { //nolint:gosec // a public document
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s is stale; run make schema:\n%s", path, d)
	}
}

// shipped compiles the schema that is shipped.
func shipped(t *testing.T) *jsonschema.Schema {
	t.Helper()
	b, err := scenario.Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is a YAML document as a validator takes it.
func asJSON(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestScenariosOfTheSuitesMatchTheSchema(t *testing.T) {
	s := shipped(t)
	files, err := filepath.Glob("../../suites/scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario found: %v", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(asJSON(t, string(b))); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	if err := s.Validate(asJSON(t, good)); err != nil {
		t.Error(err)
	}
}

func TestSchemaRefusesAWrongShape(t *testing.T) {
	s := shipped(t)
	for _, c := range [][2]string{
		{"limit: 50ms", "limt: 50ms"},
		{"limit: 50ms", "limit: 50"},
		{"mtu: 4096B", "mtu: 4096"},
		{"spines: 4", "spine: 4"},
		{"seed: 7", "seed: -7"},
		{"leafspine:", "torus:"},
		{"link.blackhole:", "link.blackhol:"},
		{"    for: 10ms\n", ""},
		{"link.blackhole: {link: leaf0-spine3, direction: both}", "link.blackhole: {direction: both}"},
		{"link.blackhole: {link: leaf0-spine3, direction: both}", "link.blackhole: {link: leaf0-spine3}\n    link.down: {link: leaf0-spine3}"},
		{"integrity: {}", "integrity: {every: 1}"},
		{"v1alpha1", "v9"},
		{"kind: Scenario", "kind: Plan"},
		{"Scenario\n", "Scenario\nstatus: {}\n"},
	} {
		if err := s.Validate(asJSON(t, edit(t, c[0], c[1]))); err == nil {
			t.Errorf("%q instead of %q is taken", c[1], strings.TrimSpace(c[0]))
		}
	}
}
