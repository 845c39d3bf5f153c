package scenario_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/scenario"
	"github.com/stellarlab/stellarlab/framework/topology"
	"github.com/stellarlab/stellarlab/framework/workload"
)

// Hostile text is refused or read as what it says; either way soon, and without a panic. The deadline is the test's.
func TestHostileTextIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a MiB of brackets": {strings.Repeat("[", 1<<20), "nested more than 200 deep"},
		"a MiB of braces":   {"spec: " + strings.Repeat("{a: ", 1<<18), "nested more than 200 deep"},
		"steps of indent": {func() string {
			var b strings.Builder
			for i := range 700 {
				fmt.Fprintf(&b, "%sa:\n", strings.Repeat(" ", i))
			}
			return b.String()
		}(), "nested more than 200 deep"},
		"no UTF-8":        {edit(t, "limit: 50ms", "limit: \xff\xfe"), ":6: not YAML: bytes that are no UTF-8"},
		"tabs":            {strings.ReplaceAll(good, "\n  limit", "\n\tlimit"), "not YAML"},
		"a bomb":          {"a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nspec: *c\n", "anchors and aliases are not read"},
		"merge keys":      {edit(t, "spec:\n", "spec:\n  <<: {limit: 1ms}\n"), "merge keys are not read"},
		"a tag":           {edit(t, "limit: 50ms", "limit: !!str 50ms"), "not read here"},
		"negative seed":   {edit(t, "seed: 7", "seed: -7"), ":5: spec.seed: \"-7\": want a whole number, not negative"},
		"huge seed":       {edit(t, "seed: 7", "seed: 99999999999999999999999"), "spec.seed: "},
		"seed with point": {edit(t, "seed: 7", "seed: 7.5"), "spec.seed: "},
		"huge count":      {edit(t, "depth: 8", "depth: 99999999999999999999999"), "depth: "},
		"huge duration":   {edit(t, "limit: 50ms", "limit: 99999999999999999999h"), "spec.limit: "},
		"huge size":       {edit(t, "size: 1MiB", "size: 99999999999999999999TiB"), "size: "},
		"huge rate":       {edit(t, "400Gbps", "1e300Gbps"), "rate"},
		"NaN for a share": {edit(t, "80%", "NaN%"), "atLeast"},
		"huge stretch":    {edit(t, "stretch: 20", "stretch: 9999999999"), "spec.stretch: "},
		"null spec":       {"apiVersion: stellarlab.dev/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec:\n", "spec"},
		"a list":          {"- a\n- b\n", "not a mapping"},
		"a word":          {"hello", "not a mapping"},
		"only comments":   {"# a\n# b\n", "empty"},
		"a list of nulls": {edit(t, "workloads:\n", "workloads:\n  -\n"), "spec.workloads[0]: nothing, where a mapping"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scenario.Parse("bad.yaml", []byte(c.text))
			var problems scenario.Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%.300v, want %q", err, c.want)
			}
		})
	}
}

// What editors on other systems do to a file does not matter.
func TestLineEndsAndByteOrderMarkDoNotMatter(t *testing.T) {
	digest := func(text string) string {
		t.Helper()
		s, err := scenario.Parse("grey.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Resolve(scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, _ := r.Digest()
		return d
	}
	want := digest(good)
	for name, text := range map[string]string{
		"CRLF":           strings.ReplaceAll(good, "\n", "\r\n"),
		"BOM":            "\ufeff" + good,
		"no end of line": strings.TrimSuffix(good, "\n"),
		"document marks": "---\n" + good + "...\n",
	} {
		t.Run(name, func(t *testing.T) {
			if digest(text) != want {
				t.Error("another plan")
			}
		})
	}
}

func TestManyFlowsAreReadInTime(t *testing.T) {
	var list strings.Builder
	list.WriteString("flows: {list: [")
	for list.Len() < 1<<19 {
		list.WriteString("{from: host0, to: host2, bytes: 1B}, ")
	}
	list.WriteString("]}")
	s, err := scenario.Parse("grey.yaml", []byte(edit(t, "write: {from: host0, to: host2, size: 1MiB, depth: 8, time: 30ms}", list.String())))
	if err != nil {
		t.Fatalf("%.300v", err)
	}
	if r, err := s.Resolve(scenario.Options{}); err != nil || len(r.Flows) < 10_000 {
		t.Errorf("%v", err)
	}
}

func TestProblemsOfEveryLabAreReported(t *testing.T) {
	text := strings.NewReplacer("device: {mtu: 4096B, paths: 64", "device: {mtu: 1B, paths: 64", "paths: 32", "rto: 1ns", "lab: sim", "").Replace(good) + "    sim: {limit: 1}\n"
	_, err := scenario.Parse("grey.yaml", []byte(text))
	for _, want := range []string{"mtu is 1B", "rto is 1ns", `"1": want a duration`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A list whose entries have no names is replaced as a whole.
func TestOverridesReplaceListsWithoutNames(t *testing.T) {
	s, err := scenario.Parse("grey.yaml", []byte(strings.TrimSuffix(good, "\n")+"\n    sim: {expect: [{completion: {workload: bulk, failures: 0}}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for lab, want := range map[string]int{"sim": 1, "netns": 3} {
		r, err := s.Resolve(scenario.Options{Lab: lab})
		if err != nil || len(r.Expected) != want {
			t.Errorf("%s: %d expectations, want %d: %v", lab, len(r.Expected), want, err)
		}
	}
	if _, err := s.Resolve(scenario.Options{Lab: "cloud"}); err == nil || !strings.Contains(err.Error(), `no lab is called "cloud": want sim or netns`) {
		t.Errorf("an unknown lab: %v", err)
	}
}

// What the catalogues print as examples can be pasted.
func TestExamplesOfTheCataloguesDecode(t *testing.T) {
	with := func(kind, topo, work, fault, expected string) {
		t.Helper()
		text := "apiVersion: stellarlab.dev/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec:\n  limit: 1m\n  topology:\n    " + topo +
			"\n  workloads:\n  - name: bulk\n    " + work + "\n  faults:\n  - " + fault + "\n  expect:\n  - " + expected + "\n"
		if _, err := scenario.Parse(kind, []byte(text)); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	const (
		topo     = "leafspine: {leaves: 2, spines: 8, hostsPerLeaf: 4}"
		work     = "write: {from: host0, to: host4, size: 1MiB, count: 4}"
		fault    = "{name: grey, at: 2ms, for: 10ms, link.blackhole: {link: leaf0-spine3}}\n  - {name: stale, at: 2ms, for: 10ms, page.evict: {device: host4/dev0, share: 50%}}"
		expected = "integrity: {}"
	)
	for _, k := range topology.Catalogue() {
		with(k.Name, k.Example, "write: {from: host0, to: host1, size: 1MiB, count: 4}", "{name: grey, at: 2ms, for: 10ms, link.down: {link: {any: 1, of: links}}}", expected)
	}
	for _, k := range workload.Catalogue() {
		with(k.Name, topo, k.Example, fault, expected)
	}
	for _, k := range faults.Catalogue() {
		with(k.Name, topo, work, k.Example, expected)
	}
	for _, k := range expect.Catalogue() {
		with(k.Name, topo, work, fault, k.Example)
	}
}
