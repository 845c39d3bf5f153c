package scenario_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/framework/scenario"
)

func TestSettingsThatCannotBeMadeAreProblems(t *testing.T) {
	s, err := scenario.Parse("grey.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]string{
		"device.paths":                         "--set device.paths: want path=value",
		"=3":                                   "want path=value",
		"device.pths=3":                        "did you mean paths?",
		"device.paths=many":                    "spec.device.paths: ",
		"device.paths.x=3":                     "has no fields",
		"device={paths: 1, paths: 2}":          "paths: given twice",
		"device.paths=&a 3":                    "anchors and aliases are not read",
		"device.paths=[":                       "not YAML",
		"device.paths=":                        "--set device.paths: empty",
		"workloads[7].write.size=1MiB":         `no entry "7" in a list of 1`,
		"workloads[-1].write.size=1MiB":        `no entry "-1" in a list of 1`,
		"faults.none.for=1ms":                  `no entry "none" in a list of 2`,
		"faults.grey.link.down.link=a":         "spec.faults[0].link: unknown field",
		"lab=cloud":                            `no lab is called "cloud"`,
		"lab=[sim]":                            "spec.lab: a list",
		"labs.cloud.limit=1s":                  "spec.labs.cloud: unknown field",
		"labs=3":                               "spec.labs: a value",
		"spec=3":                               "spec: a value",
		"metadata=3":                           "metadata: a value",
		"metadata.name=A B":                    "metadata.name: ",
		"topology={}":                          "no topology kind",
		"topology.pair={paths: 2}":             "a second kind",
		"workloads=[]":                         "spec.workloads: missing",
		"stretch=0":                            "spec.stretch: ",
		"stretch=10000":                        "", // the instants that result are judged
		"limit=1ms":                            "limit ends the run at 1ms",
		"device=" + strings.Repeat("[", 1<<16): "nested more than 200 deep",
	} {
		_, err := s.Resolve(scenario.Options{Set: []string{set}})
		var problems scenario.Problems
		if want == "" && err == nil {
			continue
		}
		if !errors.As(err, &problems) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", set, err, want)
		}
	}
}

func FuzzSet(f *testing.F) {
	for _, set := range []string{"device.paths=3", "faults.grey.for=1ms", "workloads[0].write={}", "labs.netns.limit=1s", "spec=", "lab=netns"} {
		f.Add(set, "limit=50ms")
	}
	s, err := scenario.Parse("grey.yaml", []byte(good))
	if err != nil {
		f.Fatal(err)
	}
	before, err := s.Resolve(scenario.Options{})
	if err != nil {
		f.Fatal(err)
	}
	want, _ := before.Digest()
	f.Fuzz(func(t *testing.T, a, b string) {
		r, err := s.Resolve(scenario.Options{Set: []string{a, b}})
		var problems scenario.Problems
		if (r == nil) == (err == nil) || err != nil && (!errors.As(err, &problems) || len(problems) == 0) {
			t.Fatalf("%v, %v", r, err)
		}
		after, err := s.Resolve(scenario.Options{})
		if err != nil {
			t.Fatalf("after it: %v", err)
		}
		if got, _ := after.Digest(); got != want {
			t.Fatal("the scenario has changed")
		}
	})
}
