package scenario_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

const good = `apiVersion: stellarlab.dev/v1alpha1
kind: Scenario
metadata: {name: grey-uplink}
spec:
  seed: 7
  limit: 50ms
  topology:
    leafspine: {leaves: 2, spines: 4, hostsPerLeaf: 2, rate: 400Gbps, delay: 600ns}
  device: {mtu: 4096B, paths: 64, overrides: [{host: host1, paths: 8}]}
  workloads:
  - name: bulk
    write: {from: host0, to: host2, size: 1MiB, depth: 8, time: 30ms}
  faults:
  - name: grey
    at: 2ms
    for: 10ms
    link.blackhole: {link: leaf0-spine3, direction: both}
  - name: some
    at: 1ms
    for: 1ms
    every: 5ms
    times: 2
    link.loss: {link: {any: 2, of: uplinks}, direction: up, p: 1%}
  expect:
  - integrity: {}
  - goodput: {workload: bulk, during: grey, atLeast: 80%}
  - recovery: {workload: bulk, after: grey, to: 95%, within: 1ms}
  labs:
    netns: {stretch: 20, device: {paths: 32}, faults: [{name: grey, for: 20ms}]}
`

func TestResolve(t *testing.T) {
	s, err := scenario.Parse("grey.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Lab != "sim" || r.Seed != 7 || r.Graph.Hosts() != 4 || len(r.Flows) != 1 || r.Names[0] != "bulk" {
		t.Errorf("%+v", r)
	}
	if r.Devices[0].Paths != 64 || r.Devices[1].Paths != 8 || r.Devices[0].Seed == r.Devices[1].Seed {
		t.Errorf("devices %+v", r.Devices[:2])
	}
	var names, targets []string
	for _, f := range r.Plan.Faults {
		names = append(names, f.Name)
		for _, x := range f.Targets {
			targets = append(targets, x.Name)
		}
	}
	if want := []string{"some#1", "grey", "some#2"}; !slices.Equal(names, want) {
		t.Errorf("faults %v, want %v in order of time", names, want)
	}
	if len(targets) != 6 || !slices.Contains(targets, "spine3-to-leaf0") {
		t.Errorf("targets %v", targets)
	}
	n, err := s.Resolve(scenario.Options{Lab: "netns"})
	if err != nil {
		t.Fatal(err)
	}
	if n.Devices[0].Paths != 32 || n.Devices[0].RTO.String() != "250µs" || n.Flows[0].For.String() != "600ms" {
		t.Errorf("netns: paths %d, rto %v, time %v", n.Devices[0].Paths, n.Devices[0].RTO, n.Flows[0].For)
	}
	if f := n.Plan.Faults[1]; f.Name != "grey" || f.For.String() != "400ms" || f.At.String() != "40ms" {
		t.Errorf("netns: %+v", f)
	}
}

func TestSeedDecidesAndNothingElse(t *testing.T) {
	s, err := scenario.Parse("grey.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	digest := func(o scenario.Options) string {
		t.Helper()
		r, err := s.Resolve(o)
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	other := uint64(8)
	if first, second := digest(scenario.Options{}), digest(scenario.Options{}); first != second {
		t.Error("one seed, two resolutions")
	}
	if digest(scenario.Options{}) == digest(scenario.Options{Seed: &other}) {
		t.Error("two seeds, one resolution")
	}
	if digest(scenario.Options{}) == digest(scenario.Options{Set: []string{"device.paths=8"}}) {
		t.Error("--set changes nothing")
	}
}

func TestSetHasTheLastWordAndChangesNothing(t *testing.T) {
	s, err := scenario.Parse("grey.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set   []string
		paths int
		name  string
	}{
		{[]string{"device.paths=16", "metadata.name=other"}, 16, "other"},
		{[]string{"labs.netns.device.paths=24"}, 24, "grey-uplink"},
		{nil, 32, "grey-uplink"},
	} {
		r, err := s.Resolve(scenario.Options{Lab: "netns", Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if r.Devices[0].Paths != c.paths || r.Name != c.name {
			t.Errorf("%v: %d paths, %s", c.set, r.Devices[0].Paths, r.Name)
		}
	}
}

func TestSetReachesKeysWithDots(t *testing.T) {
	s, err := scenario.Parse("grey.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(scenario.Options{Set: []string{"faults.grey.link.blackhole.link=leaf1-spine0", "faults[0].for=3ms"}})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Plan.Faults[1]; f.Name != "grey" || f.For.String() != "3ms" || f.Targets[0].Name != "leaf1-to-spine0" {
		t.Errorf("%+v", f)
	}
}

func TestStretchReachesTheOverridesOfLinks(t *testing.T) {
	text := edit(t, "delay: 600ns}", "delay: 600ns, overrides: {host0-leaf0: {delay: 1us}}}")
	s, err := scenario.Parse("grey.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(scenario.Options{Lab: "netns"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"host0-leaf0": "20µs", "leaf0-spine0": "12µs"} {
		l, ok := r.Graph.Link(name)
		if !ok || r.Graph.Links[l].Delay.String() != want {
			t.Errorf("%s: %v, want %s", name, r.Graph.Links[l].Delay, want)
		}
	}
}

func TestPlanRoundTripIsExact(t *testing.T) {
	s, err := scenario.Parse("grey.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	for _, lab := range scenario.Labs {
		r, err := s.Resolve(scenario.Options{Lab: lab})
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.EncodePlan()
		if err != nil {
			t.Fatal(err)
		}
		q, err := scenario.DecodePlan(b)
		if err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		c, err := q.EncodePlan()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(b), string(c)); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(r.Flows, q.Flows); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(r.Devices, q.Devices); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(r.Plan, q.Plan, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(r.Graph.Links, q.Graph.Links); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(r.Graph.Nodes, q.Graph.Nodes); d != "" {
			t.Error(d)
		}
	}
}

// edit replaces one piece of the good scenario; it must be there.
func edit(t *testing.T, old, with string) string {
	t.Helper()
	if !strings.Contains(good, old) {
		t.Fatalf("the good scenario has no %q", old)
	}
	return strings.Replace(good, old, with, 1)
}

func TestBadInputNamesLineFieldAndRemedy(t *testing.T) {
	for name, c := range map[string]struct {
		old, with string
		want      []string // in one problem's text
	}{
		"unknown field":              {"limit: 50ms", "limt: 50ms", []string{":6: spec.limt: unknown field: did you mean limit?"}},
		"unknown field deep down":    {"spines: 4", "spine: 4", []string{":8: ", "spine: unknown field: did you mean spines?"}},
		"duplicate key":              {"limit: 50ms", "limit: 50ms\n  limit: 60ms", []string{":7: spec.limit: given twice: first in line 6"}},
		"missing unit of a duration": {"limit: 50ms", "limit: 50", []string{":6: spec.limit: ", "want a duration with its unit"}},
		"missing unit of a size":     {"mtu: 4096B", "mtu: 4096", []string{"spec.device.mtu: ", "want a size with its unit"}},
		"missing unit of a rate":     {"rate: 400Gbps", "rate: 400", []string{"rate: ", "want a rate with its unit"}},
		"unknown kind":               {"link.blackhole:", "link.blackhol:", []string{":17: ", "did you mean link.blackhole?"}},
		"unknown topology":           {"leafspine:", "torus:", []string{":8: spec.topology.torus: unknown field: want one of leafspine, pair"}},
		"no such link":               {"leaf0-spine3", "leaf0-spine9", []string{":17: ", `no link is called "leaf0-spine9"`}},
		"no such host":               {"from: host0", "from: host99", []string{":12: ", `no host is called "host99": want host0 to host3`}},
		"no such workload":           {"{workload: bulk, during", "{workload: bulge, during", []string{`no workload is called "bulge"`}},
		"no such fault":              {"after: grey", "after: gray", []string{`no fault is called "gray"`}},
		"no such direction":          {"direction: both", "direction: sideways", []string{`direction "sideways": want both`}},
		"fault without duration":     {"    for: 10ms\n", "", []string{"no for: a fault lasts some time"}},
		"fault that lasts 0s":        {"for: 10ms", "for: 0s", []string{":16: spec.faults[0].for: 0s: a fault lasts some time"}},
		"fault without instant":      {"    at: 2ms\n", "", []string{"no at: want the instant"}},
		"beyond reach":               {"at: 2ms", "at: 2000000h", []string{"spec.faults[0].at: ", "want at most 1000h"}},
		"a workload beyond reach":    {"time: 30ms", "time: 2000000h", []string{"spec.workloads[0].write.time: ", "want at most 1000h"}},
		"a link beyond reach":        {"within: 1ms", "within: 2000000h", []string{"spec.expect[2].recovery.within: ", "want at most 1000h"}},
		"fault at limit":             {"at: 2ms", "at: 50ms", []string{":14: spec.faults[0].at: 50ms is when it last strikes, and limit ends the run at 50ms"}},
		"repetition after limit":     {"times: 2", "times: 12", []string{"spec.faults[1].at: 56ms is when it last strikes"}},
		"too many occurrences":       {"every: 5ms\n    times: 2", "every: 1ms\n    times: 100000", []string{"spec.faults: 100001 occurrences in all: want at most 100000"}},
		"too many flows":             {"depth: 8, time: 30ms", "depth: 8, time: 30ms, qps: 100001", []string{"qps is 100001: want 1 to 100000"}},
		"negative size":              {"size: 1MiB", "size: -1MiB", []string{"size: ", "want a size"}},
		"absurd size":                {"size: 1MiB", "size: 64TiB", []string{"size is 64TiB: a message holds at most 2GiB"}},
		"absurd count":               {"leaves: 2", "leaves: 2000000", []string{"leaves is 2000000: want 1 to 1024"}},
		"probability above 1":        {"p: 1%", "p: 110%", []string{"want a probability from 0 to 1"}},
		"two kinds in one entry":     {"link.blackhole: {link: leaf0-spine3, direction: both}", "link.blackhole: {link: leaf0-spine3}\n    link.down: {link: leaf0-spine3}", []string{":18: ", "a second kind beside link.blackhole"}},
		"selector of too many":       {"any: 2", "any: 200", []string{"any: 200 of uplinks: the set has 8 members"}},
		"selector of an unknown set": {"of: uplinks", "of: downlinks", []string{`no set of links is called "downlinks"`}},
		"selector without form":      {"{any: 2, of: uplinks}", "{any: 2}", []string{"want a name, {all: SET}"}},
		"wrong version":              {"v1alpha1", "v9", []string{":1: apiVersion: ", "want stellarlab.dev/v1alpha1"}},
		"bad name":                   {"grey-uplink", "Grey Uplink", []string{"metadata.name: "}},
		"a list for a mapping":       {"metadata: {name: grey-uplink}", "metadata: [a]", []string{"metadata: a list, where a mapping of name, labels is wanted"}},
		"name taken":                 {"name: some", "name: bulk", []string{`"bulk" is taken in line`}},
		"an override's unknown lab":  {"netns: {stretch", "nets: {stretch", []string{"spec.labs.nets: unknown field: did you mean netns?"}},
		"an override's bad value":    {"device: {paths: 32}", "device: {paths: 320}", []string{":29: ", "paths is 320: want 1 to 256"}},
		"anchor":                     {"limit: 50ms", "limit: &x 50ms", []string{"anchors and aliases are not read"}},
		"second document":            {"apiVersion", "a: 1\n---\napiVersion", []string{"a second document"}},
		"not YAML":                   {"spec:", "spec: [", []string{"not YAML"}},
		"trigger":                    {"at: 2ms", "after: {fault: some, is: healed}", []string{"triggers are not in this build"}},
		"plain RC":                   {"mtu: 4096B", "transport: rc", []string{`transport is "rc": this build has spray`}},
		"guest too small":            {"mtu: 4096B", "memory: {guest: 4MiB}", []string{"4MiB: the buffers of host", "need"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scenario.Parse("grey.yaml", []byte(edit(t, c.old, c.with)))
			var problems scenario.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("%v, want problems", err)
			}
			for _, p := range problems {
				all := true
				for _, w := range c.want {
					all = all && strings.Contains(p.String(), w)
				}
				if all {
					return
				}
			}
			t.Errorf("no problem has %q:\n%v", c.want, err)
		})
	}
}

func TestEveryProblemIsReportedAtOnce(t *testing.T) {
	text := strings.NewReplacer("limit: 50ms", "limit: 50", "paths: 64", "paths: many", "size: 1MiB", "size: 1", "link.loss", "link.lost").Replace(good)
	_, err := scenario.Parse("grey.yaml", []byte(text))
	var problems scenario.Problems
	if !errors.As(err, &problems) || len(problems) < 4 {
		t.Fatalf("%d problems, want the four:\n%v", len(problems), err)
	}
	if !slices.IsSortedFunc(problems, func(a, b scenario.Problem) int { return a.Line - b.Line }) {
		t.Errorf("not in order of the file:\n%v", err)
	}
}

func TestLoadRefusesWhatIsNoScenarioFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, size int64, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if size > 0 {
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	for path, want := range map[string]string{
		write("empty.yaml", 0, ""):                          "empty",
		write("blank.yaml", 0, "\n \n# x\n"):                "empty",
		write("huge.yaml", 100<<20, "a: 1\n"):               "larger than 1 MiB",
		write("deep.yaml", 0, strings.Repeat("[", 1<<19)):   "nested more than 200 deep",
		write("steps.yaml", 0, strings.Repeat("- ", 1<<18)): "nested more than 200 deep",
		write("binary.yaml", 0, "\x00\x01\xff"):             "",
		filepath.Join(dir, "missing.yaml"):                  "no such file",
		dir:                                                 "cannot be read",
	} {
		if _, err := scenario.Load(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestScenariosOfTheSuitesLoad(t *testing.T) {
	files, err := filepath.Glob("../../suites/scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario found: %v", err)
	}
	for _, f := range files {
		if _, err := scenario.Load(f); err != nil {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("a: [1, {b: c}]"))
	f.Add([]byte("? x\n: y"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		s, err := scenario.Parse("fuzz.yaml", text)
		var problems scenario.Problems
		if (s == nil) == (err == nil) || err != nil && (!errors.As(err, &problems) || len(problems) == 0) {
			t.Fatalf("%v, %v", s, err)
		}
	})
}
