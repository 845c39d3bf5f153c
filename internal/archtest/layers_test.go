package archtest_test

import (
	"slices"
	"strings"
	"testing"
)

// below says which top-level folders the packages of a folder may import, beside their own. Imports point down,
// and top-level siblings never import one another.
var below = map[string][]string{
	"internal":  {},
	"pvdma":     {"internal"},
	"emtt":      {"internal"},
	"spray":     {"internal"},
	"datapath":  {"internal", "pvdma", "emtt", "spray"},
	"faults":    {"internal", "datapath/fabric", "datapath/wire"}, // folds and packet matches, never a driver, host or engine
	"cni":       {"internal"},                                     // no transport code: the plugin binary stays small
	"framework": {"internal", "pvdma", "emtt", "spray", "datapath", "faults", "cni"},
	"suites":    {"internal", "pvdma", "emtt", "spray", "datapath", "faults", "cni", "framework"},
	"tools":     {"internal", "pvdma", "emtt", "spray", "datapath", "faults", "cni", "framework"},
}

// order is the order inside the folders that have one, from the bottom: a package may import those of earlier
// rows. Packages of one row do not import one another.
var order = [][]string{
	{"datapath/wire", "datapath/fabric", "datapath/journal"},
	{"datapath/engine"},
	{"datapath/host"},
	{"datapath/hostmem", "datapath/impair"},
	{"datapath/sim", "datapath/sock"},

	{"faults"},
	{"faults/plan"},
	{"faults/inject"},

	{"cni"},
	{"cni/rail", "cni/state"},
	{"cni/agent"},

	{"framework"},
	{"framework/oracle", "framework/topology", "framework/workload"},
	{"framework/expect"},
	{"framework/scenario", "framework/report"},
	{"framework/simlab", "framework/nslab"},
	{"framework/run"},
	{"framework/labs"},
	{"framework/explore", "framework/certify", "framework/telemetry", "framework/agent"},
}

// closed are packages that may import one package of the module beside internal, and no other.
var closed = map[string]string{
	"datapath/engine": "datapath/wire", // it declares Paths and Memory; host plugs the models in
}

func rank(dir string) int {
	return slices.IndexFunc(order, func(row []string) bool { return slices.Contains(row, dir) })
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range tree(t) {
		if s.test || s.dir == "." {
			continue
		}
		top, _, _ := strings.Cut(s.dir, "/")
		allowed, ok := below[top]
		if !ok {
			t.Errorf("%s: %s is no folder of the architecture. Every folder has a layer, or imports grow in circles: give it a row in `below`.", s.path, top)
			continue
		}
		for _, i := range s.imports() {
			dir, ok := strings.CutPrefix(i, "./")
			if !ok {
				continue
			}
			switch {
			case !under(dir, top) && !slices.ContainsFunc(allowed, func(a string) bool { return under(dir, a) }):
				t.Errorf("%s imports %s, but %s may import only %v. A layer that knows one above or beside it can no longer be used, tested or replaced alone.", s.path, dir, top, allowed)
			case under(dir, top) && rank(s.dir) >= 0 && rank(dir) >= rank(s.dir) && dir != s.dir:
				t.Errorf("%s imports %s, which is not below it in the order of %s. One order, in one table, is what keeps the folder free of knots.", s.path, dir, top)
			case closed[s.dir] != "" && !under(dir, "internal") && dir != closed[s.dir]:
				t.Errorf("%s imports %s, but %s may import only internal and %s. It declares small interfaces instead, so that models can be exchanged.", s.path, dir, s.dir, closed[s.dir])
			}
		}
	}
}

func TestEveryOrderedFolderHasItsPackagesInTheTable(t *testing.T) {
	for _, s := range tree(t) {
		top, _, _ := strings.Cut(s.dir, "/")
		if top != "datapath" && top != "framework" && top != "faults" || s.test {
			continue
		}
		if rank(s.dir) < 0 {
			t.Errorf("%s: %s has no row in `order`. Without one nothing says what it may import.", s.path, s.dir)
		}
	}
}
