package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	main "github.com/stellarlab/stellarlab/tools/stellarlab"
)

// go generate ./tools/stellarlab writes the references anew: it runs this test with UPDATE=1.
func TestShippedReferenceIsCurrent(t *testing.T) {
	for path, want := range map[string]string{"../../docs/cli.md": commandReference(), "../../docs/faults.md": faultReference(t)} {
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a public document
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("%s is stale; run make schema:\n%s", path, d)
		}
	}
}

func commandReference() string {
	var b strings.Builder
	b.WriteString("# The command\n\nGenerated from the command's own help by `make schema`; a test fails when it is stale.\n")
	names, help := main.Help()
	for i, n := range names {
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n", n, strings.TrimSpace(help[i]))
	}
	return b.String()
}

// kind is what `stellarlab faults --json` prints of one.
type kind struct {
	Name       string
	Example    string
	Facts      []struct{ Name, Text string }
	Parameters []struct{ Name, Type, Default, Doc string }
}

func faultReference(t *testing.T) string {
	text, _, _ := here(t, "faults", "--json")
	var kinds []kind
	if err := json.Unmarshal([]byte(text), &kinds); err != nil || len(kinds) == 0 {
		t.Fatalf("%v in %s", err, text)
	}
	var b strings.Builder
	b.WriteString("# Faults\n\nGenerated from the catalogue by `make schema`; a test fails when it is stale. How a fault is placed in time is in\n[scenario.md](scenario.md).\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "\n## %s\n\n", k.Name)
		for _, f := range k.Facts {
			fmt.Fprintf(&b, "- **%s**: %s\n", f.Name, f.Text)
		}
		b.WriteString("\n| parameter | type | default | meaning |\n| --- | --- | --- | --- |\n")
		for _, p := range k.Parameters {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Name, p.Type, p.Default, strings.ReplaceAll(p.Doc, "|", `\|`))
		}
		fmt.Fprintf(&b, "\n```yaml\n- %s\n```\n", k.Example)
	}
	return b.String()
}

func TestHelpNamesEveryVerbAndShowsAnExample(t *testing.T) {
	names, help := main.Help()
	if len(names) < 14 {
		t.Errorf("%d verbs: %v", len(names), names)
	}
	for i, n := range names[1:] {
		if h := help[i+1]; !strings.Contains(h, "Examples:") || !strings.Contains(h, "  "+n) {
			t.Errorf("%s has no example of its own:\n%s", n, h)
		}
		if verb := strings.TrimPrefix(n, "stellarlab "); !strings.Contains(help[0], "\n  "+verb+" ") {
			t.Errorf("the command does not list %s", verb)
		}
	}
}

// A catalogue shows every parameter of every kind with what it means, and an example.
func TestCataloguesAreComplete(t *testing.T) {
	for _, verb := range []string{"faults", "workloads", "topologies", "policies", "expectations"} {
		text, _, _ := here(t, verb, "--json")
		var kinds []kind
		if err := json.Unmarshal([]byte(text), &kinds); err != nil || len(kinds) == 0 {
			t.Fatalf("%s: %v in %s", verb, err, text)
		}
		for _, k := range kinds {
			if k.Example == "" || len(k.Facts) == 0 || k.Facts[0].Text == "" {
				t.Errorf("%s %s: no example, or not described", verb, k.Name)
			}
			for _, p := range k.Parameters {
				if p.Doc == "" || p.Type == "" {
					t.Errorf("%s %s: %s is not described", verb, k.Name, p.Name)
				}
			}
			shown, _, exit := here(t, verb, k.Name)
			for _, p := range k.Parameters {
				if exit != 0 || !strings.Contains(shown, p.Name) || !strings.Contains(shown, p.Default) || !strings.Contains(shown, k.Example) {
					t.Errorf("%s %s: exit %d, %s or the example is not shown:\n%s", verb, k.Name, exit, p.Name, shown)
				}
			}
		}
	}
}
