package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/framework/scenario"
)

// targets resolves the good scenario with the first fault's value replaced, and returns what it strikes.
func targets(t *testing.T, fault string, seed uint64) ([]string, error) {
	t.Helper()
	s, err := scenario.Parse("grey.yaml", []byte(edit(t, "link.blackhole: {link: leaf0-spine3, direction: both}", fault)))
	if err != nil {
		return nil, err
	}
	r, err := s.Resolve(scenario.Options{Seed: &seed})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range r.Plan.Faults {
		if f.Name == "grey" {
			for _, x := range f.Targets {
				names = append(names, x.Name)
			}
		}
	}
	return names, nil
}

func TestSelectorsTakeWhatTheySay(t *testing.T) {
	for fault, want := range map[string]int{
		"link.down: {link: {all: links}}":                                         2 * (4 + 8),
		"link.down: {link: {all: hostLinks}}":                                     2 * 4,
		"link.down: {link: {all: uplinks}}":                                       2 * 8,
		"link.blackhole: {link: {all: uplinks}, direction: up}":                   8,
		"link.blackhole: {link: {any: 3, of: uplinks}, direction: down}":          3,
		"link.blackhole: {link: {at: spine1}}":                                    2 * 2,
		"link.blackhole: {link: {at: leaf0}}":                                     2 * (2 + 4),
		"link.blackhole: {link: {at: host0}}":                                     2,
		"link.blackhole: {link: leaf0-spine3}":                                    2,
		"link.blackhole: {link: leaf0-spine3, direction: spine3-to-leaf0}":        1,
		"page.evict: {device: {all: devices}, share: 50%}":                        4,
		"page.evict: {device: {any: 2, of: hosts}, share: 50%}":                   2,
		"page.evict: {device: host3/dev0, share: 50%}":                            1,
		"translation.miss: {device: {any: 4, of: devices}, rate: 50%, cost: 4us}": 4,
	} {
		got, err := targets(t, fault, 1)
		if err != nil || len(got) != want {
			t.Errorf("%s: %v, %v, want %d targets", fault, got, err, want)
		}
		if slices.Sort(got); len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("%s: %v twice", fault, got)
		}
	}
}

func TestSelectorsThatFindNothingAreProblems(t *testing.T) {
	for fault, want := range map[string]string{
		"link.down: {link: {at: spine9}}":                                    `no switch or host is called "spine9"`,
		"link.down: {link: {all: switches}}":                                 `no set of links is called "switches"`,
		"link.down: {link: {any: 9, of: uplinks}}":                           "any: 9 of uplinks: the set has 8 members",
		"link.down: {link: {any: -1, of: uplinks}}":                          "want a name, {all: SET}",
		"link.down: {link: {all: links, any: 1, of: links}}":                 "want a name, {all: SET}",
		"link.down: {link: {every: links}}":                                  "unknown field",
		"link.down: {link: ''}":                                              "link",
		"link.down: {link: [leaf0-spine1]}":                                  "a list",
		"link.down: {}":                                                      "no link: say where it strikes",
		"page.evict: {device: host9/dev0, share: 50%}":                       "host9",
		"page.evict: {device: host0/dev1, share: 50%}":                       "host0/dev1",
		"page.evict: {device: host0, share: 50%}":                            "host0",
		"page.evict: {device: leaf0/dev0, share: 50%}":                       "leaf0",
		"page.evict: {device: {all: uplinks}, share: 50%}":                   `no set of devices is called "uplinks"`,
		"page.evict: {device: {at: leaf0}, share: 50%}":                      "no set of devices is called",
		"page.evict: {link: leaf0-spine1, share: 50%}":                       "no device: say where it strikes",
		"link.blackhole: {link: spine3-leaf0}":                               `no link is called "spine3-leaf0"`,
		"link.blackhole: {link: {all: uplinks}, direction: leaf0-to-spine3}": "direction",
	} {
		if got, err := targets(t, fault, 1); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "grey.yaml:1") {
			t.Errorf("%s: %v, %v, want %q with its line", fault, got, err, want)
		}
	}
}

// The seed chooses; every member has its turn; and taking another fault away moves no choice.
func TestSeedChoosesAmongMembers(t *testing.T) {
	const fault = "link.blackhole: {link: {any: 1, of: uplinks}, direction: up}"
	seen := map[string]bool{}
	for seed := range uint64(200) {
		got, err := targets(t, fault, seed)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := targets(t, fault, seed)
		if fmt.Sprint(got) != fmt.Sprint(again) {
			t.Fatalf("seed %d: %v, then %v", seed, got, again)
		}
		seen[got[0]] = true
	}
	if len(seen) != 8 {
		t.Errorf("200 seeds chose %d of 8 links", len(seen))
	}
	s, err := scenario.Parse("grey.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	text := edit(t, "  - name: grey\n    at: 2ms\n    for: 10ms\n    link.blackhole: {link: leaf0-spine3, direction: both}\n", "")
	text = strings.NewReplacer("  - goodput: {workload: bulk, during: grey, atLeast: 80%}\n", "", "  - recovery: {workload: bulk, after: grey, to: 95%, within: 1ms}\n", "", ", faults: [{name: grey, for: 20ms}]", "").Replace(text)
	less, err := scenario.Parse("grey.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	pick := func(s *scenario.Scenario) string {
		r, err := s.Resolve(scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, f := range r.Plan.Faults {
			if strings.HasPrefix(f.Name, "some") {
				out = append(out, fmt.Sprint(f.Name, f.Key, f.Targets))
			}
		}
		return strings.Join(out, "\n")
	}
	if a, b := pick(s), pick(less); a != b || a == "" {
		t.Errorf("without the other fault:\n%s\nwith it:\n%s", b, a)
	}
}
