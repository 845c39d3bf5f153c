package workload_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/framework/topology"
	"github.com/stellarlab/stellarlab/framework/workload"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/units"
	"pgregory.net/rapid"
)

// context is a fabric with so many hosts.
func fabricOf(t testing.TB, hosts int) workload.Context {
	t.Helper()
	p := &topology.LeafSpine{Leaves: 1, Spines: 1, HostsPerLeaf: hosts}
	g, err := p.Build(func(string) uint32 { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	return workload.Context{Graph: g, Dir: "testdata", Key: seed.Key(1)}
}

// pairs are the ends of flows, as text.
func pairs(g *fabric.Graph, flows []host.Flow) string {
	var out []string
	for _, f := range flows {
		out = append(out, g.Nodes[f.From].Name[4:]+">"+g.Nodes[f.To].Name[4:])
	}
	return strings.Join(out, " ")
}

func TestWriteFlows(t *testing.T) {
	c := fabricOf(t, 3)
	for name, p := range map[string]struct {
		from, to workload.Hosts
		qps      int
		want     string
	}{
		"one to one":        {workload.Hosts{"host0"}, workload.Hosts{"host1"}, 1, "0>1"},
		"queue pairs":       {workload.Hosts{"host0"}, workload.Hosts{"host1"}, 3, "0>1 0>1 0>1"},
		"lists":             {workload.Hosts{"host2", "host0"}, workload.Hosts{"host1"}, 1, "0>1 2>1"},
		"listed twice":      {workload.Hosts{"host0", "host0"}, workload.Hosts{"host1", "host1"}, 1, "0>1"},
		"all to one":        {workload.Hosts{"all"}, workload.Hosts{"host1"}, 1, "0>1 2>1"},
		"all to all":        {workload.Hosts{"all"}, workload.Hosts{"all"}, 1, "0>1 0>2 1>0 1>2 2>0 2>1"},
		"all and one again": {workload.Hosts{"all", "host0"}, workload.Hosts{"host1"}, 1, "0>1 2>1"},
	} {
		w := &workload.Write{From: p.from, To: p.to, Size: 1 << 20, Depth: 8, Count: 3, QPs: p.qps}
		w.Start = units.Duration(time.Millisecond)
		flows, err := w.Flows(c)
		if err != nil || pairs(c.Graph, flows) != p.want {
			t.Errorf("%s: %v, %v, want %s", name, pairs(c.Graph, flows), err, p.want)
		}
		for _, f := range flows {
			if f.Size != 1<<20 || f.Depth != 8 || f.Count != 3 || f.For != 0 || f.Start != time.Millisecond {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

func TestBytesAreRoundedUpToMessages(t *testing.T) {
	c := fabricOf(t, 2)
	w := &workload.Write{From: workload.Hosts{"host0"}, To: workload.Hosts{"host1"}, Size: 4096, Depth: 1, Bytes: 4097, QPs: 1}
	if flows, err := w.Flows(c); err != nil || flows[0].Count != 2 {
		t.Errorf("%v, %v, want two messages", flows, err)
	}
}

func TestAbsurdParametersAreNamed(t *testing.T) {
	hosts := workload.Hosts{"host0"}
	good := workload.Write{From: hosts, To: hosts, Size: 4096, Depth: 1, Count: 1, QPs: 1}
	for want, change := range map[string]func(*workload.Write){
		"from and to":                     func(w *workload.Write) { w.From = nil },
		"a message holds at most 2GiB":    func(w *workload.Write) { w.Size = 1 << 40 },
		"depth is 0: want 1 to":           func(w *workload.Write) { w.Depth = 0 },
		"depth is -1: want 1 to":          func(w *workload.Write) { w.Depth = -1 },
		"depth × size":                    func(w *workload.Write) { w.Depth, w.Size = 4096, 1<<31 },
		"qps is 0":                        func(w *workload.Write) { w.QPs = 0 },
		"qps is 1000000000":               func(w *workload.Write) { w.QPs = 1e9 },
		"0 of them are given":             func(w *workload.Write) { w.Count = 0 },
		"2 of them are given":             func(w *workload.Write) { w.Bytes = 1 },
		"never add up":                    func(w *workload.Write) { w.Size, w.Count, w.Bytes = 0, 0, 10 },
		"this build emulates host memory": func(w *workload.Write) { w.Memory = "gpu" },
		"this build compares all bytes":   func(w *workload.Write) { w.Verify = "sample" },
	} {
		w := good
		change(&w)
		if err := w.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	c := fabricOf(t, 2)
	if _, err := good.Flows(c); err == nil || !strings.Contains(err.Error(), "does not write to itself") {
		t.Errorf("a host to itself: %v", err)
	}
	many := good
	many.From, many.To, many.QPs = workload.Hosts{"all"}, workload.Hosts{"all"}, workload.MaxFlows
	if _, err := many.Flows(c); err == nil || !strings.Contains(err.Error(), "at most 100000 queue pairs") {
		t.Errorf("too many flows: %v", err)
	}
	lost := good
	lost.From, lost.To = workload.Hosts{"host8", "leaf0"}, workload.Hosts{"nobody"}
	_, err := lost.Flows(c)
	for _, want := range []string{`from: no host is called "host8"`, `from: no host is called "leaf0"`, `to: no host is called "nobody"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestPermutationIsADerangement(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := fabricOf(t, rapid.IntRange(2, 40).Draw(r, "hosts"))
		c.Key = seed.Key(rapid.Uint64().Draw(r, "key"))
		p := &workload.Permutation{Size: 1, Count: 1, Depth: 1}
		flows, err := p.Flows(c)
		if err != nil {
			r.Fatal(err)
		}
		met := map[int32]bool{}
		for i, f := range flows {
			if f.From != int32(i) || f.From == f.To || met[f.To] {
				r.Fatalf("%s", pairs(c.Graph, flows))
			}
			met[f.To] = true
		}
		if again, _ := p.Flows(c); len(met) != c.Graph.Hosts() || pairs(c.Graph, again) != pairs(c.Graph, flows) {
			r.Fatalf("%s, then %s", pairs(c.Graph, flows), pairs(c.Graph, again))
		}
	})
	if _, err := (&workload.Permutation{Size: 1, Count: 1, Depth: 1}).Flows(fabricOf(t, 1)); err == nil {
		t.Error("one host has nobody to write to")
	}
}

func TestMatrixFilesOfThePeerAreRead(t *testing.T) {
	c := fabricOf(t, 128)
	for name, want := range map[string]struct {
		flows int
		size  uint32
		first string
	}{
		"perm_128_2MB.cm":     {128, 2_000_000, "35>25"},
		"incast32_128_1MB.cm": {32, 1_000_000, "35>0"},
	} {
		flows, err := (&workload.Flows{File: name}).Flows(c)
		if err != nil || len(flows) != want.flows || flows[0].Size != want.size || pairs(c.Graph, flows[:1]) != want.first {
			t.Errorf("%s: %d flows, first %+v, %v", name, len(flows), flows[0], err)
		}
	}
}

func TestMatrixInstantsAreStretchedLikeAllOthers(t *testing.T) {
	c := fabricOf(t, 3)
	c.Dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(c.Dir, "x.cm"), []byte("Nodes 3\r\nConnections 1\r\n# why\r\n0->2 id 1 start 5000000 size 10\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for by, want := range map[int]time.Duration{0: 5 * time.Microsecond, 1: 5 * time.Microsecond, 20: 100 * time.Microsecond} {
		c.Stretch = by
		flows, err := (&workload.Flows{File: "x.cm"}).Flows(c)
		if err != nil || flows[0].Start != want {
			t.Errorf("stretched by %d: %v, %v, want %v", by, flows, err, want)
		}
	}
}

func TestMatrixErrorsNameFileAndLine(t *testing.T) {
	c := fabricOf(t, 3)
	c.Dir = t.TempDir()
	path := filepath.Join(c.Dir, "x.cm")
	for text, want := range map[string]string{
		"0->1 size 1\n0-1 size 1\n":        "line 2: ",
		"0->1 size 1\n0->-1 size 1\n":      "line 2: ",
		"0->1 size -1\n":                   "line 1: ",
		"0->1 start 1\n":                   "line 1: no size",
		"0->1 size 1 trigger 4\n":          `line 1: "trigger" is not read here`,
		"0->1 size 5000000000\n":           "line 1: size 5000000000: a message holds at most 2 GiB",
		"0->1 size 99999999999999999999\n": "line 1: ",
		"Nodes x\n0->1 size 1\n":           "line 1: ",
		"Nodes 4\n0->1 size 1\n":           "Nodes is 4: the topology has 3 hosts",
		"Connections 2\n0->1 size 1\n":     "Connections is 2, but 1 follow",
		"\n# nothing\n":                    "no connection in it",
		"":                                 "no connection in it",
		"\n0->7 size 1\n":                  `line 2: no host is called "host7"`,
		"0->0 size 1\n":                    "does not write to itself",
		"\x00\xff\xfe\n":                   "line 1: ",
		strings.Repeat("x", 1<<17):         "line 1: cannot be read",
		"0->1 size 1 start 4000000000000000000000000\n": "line 1: ",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := (&workload.Flows{File: "x.cm"}).Flows(c)
		if err == nil {
			t.Errorf("%q is taken, want %q", text, want)
			continue
		}
		for line := range strings.Lines(err.Error()) {
			if !strings.HasPrefix(line, "file "+path+": ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%.60q: %v, want the file and %q", text, err, want)
			}
		}
	}
	for _, name := range []string{"missing.cm", "."} {
		if _, err := (&workload.Flows{File: name}).Flows(c); err == nil || !strings.Contains(err.Error(), "file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFlowsListIsChecked(t *testing.T) {
	c := fabricOf(t, 3)
	p := &workload.Flows{List: []workload.FlowSpec{
		{From: "host0", To: "host2", Bytes: 20 << 20, Start: 1000}, {From: "host1", To: "host0", Bytes: 1},
	}}
	p.Start = 500
	flows, err := p.Flows(c)
	if err != nil || pairs(c.Graph, flows) != "0>2 1>0" || flows[0].Start != 1500 || flows[1].Start != 500 || flows[0].Count != 1 {
		t.Errorf("%+v, %v", flows, err)
	}
	bad := &workload.Flows{List: []workload.FlowSpec{{From: "host9", To: "x", Bytes: 1 << 40}, {From: "host1", To: "host1"}}}
	bad.List[1].Start = units.Duration(1<<63 - 1)
	_, err = bad.Flows(c)
	for _, want := range []string{`list[0]: no host is called "host9"`, `list[0]: no host is called "x"`, "list[1]: host1 does not write to itself", "list[1]: start: later than"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), "list[0].bytes is 1TiB") {
		t.Error(err)
	}
	for _, p := range []*workload.Flows{{}, {List: bad.List, File: "x"}} {
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "exactly one") {
			t.Error(err)
		}
	}
}

func TestEveryKindIsDescribed(t *testing.T) {
	last := ""
	for _, k := range workload.Catalogue() {
		if k.Name <= last || k.Does == "" || !strings.HasPrefix(k.Example, k.Name+":") {
			t.Errorf("%+v", k)
		}
		last = k.Name
		if l, ok := workload.Lookup(k.Name); !ok || l.Does != k.Does {
			t.Errorf("%s is not found", k.Name)
		}
	}
	if _, ok := workload.Lookup("nothing"); ok {
		t.Error("nothing is found")
	}
}
