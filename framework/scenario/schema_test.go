package scenario_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

// UPDATE=1 go test -run TestShippedSchemaIsCurrent ./framework/scenario writes the file anew.
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
		t.Errorf("%s is stale; run this test with UPDATE=1:\n%s", path, d)
	}
}
