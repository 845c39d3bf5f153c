package archtest_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// core are the packages that are functions of their arguments: the same inputs give the same outputs, on any
// machine, in any lab, in a replay.
var core = []string{
	"pvdma", "emtt", "spray",
	"datapath/wire", "datapath/engine", "datapath/host", "datapath/fabric", "datapath/sim",
	"internal/vtime", "internal/mem", "internal/seed", "internal/event",
}

// impure are the imports that bring in a clock, a thread, a lock, the system or chance.
var impure = map[string]string{
	"context":          "it carries deadlines of the wall clock",
	"crypto/rand":      "randomness comes from named streams of internal/seed, or no run can be replayed",
	"golang.org/x/sys": "the core asks its driver, never the system",
	"io/ioutil":        "the core asks its driver, never the system",
	"log":              "what happened is an event, not a line",
	"math/rand":        "randomness comes from named streams of internal/seed, or no run can be replayed",
	"net":              "the core hands packets to its driver; it owns no socket",
	"os":               "the core asks its driver, never the system",
	"runtime":          "the core does not know that it runs in threads",
	"sync":             "the core has one owner and needs no lock",
	"sync/atomic":      "the core has one owner and needs no lock",
	"syscall":          "the core asks its driver, never the system",
	"testing/synctest": "the core has no clock to fake",
}

// clocks are the functions of package time that read a clock or wait for one.
var clocks = []string{"Now", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Since", "Until"}

// sources are the functions of math/rand/v2 that make a stream of a given key; all others draw from the global one.
var sources = []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "PCG", "ChaCha8", "Source", "Zipf"}

func TestTheCoreIsPure(t *testing.T) {
	for _, s := range tree(t) {
		if s.test || !slices.Contains(core, s.dir) {
			continue
		}
		for _, i := range s.imports() {
			for name, why := range impure {
				if i == name || strings.HasPrefix(i, name+"/") && i != "math/rand/v2" {
					t.Errorf("%s imports %s: %s.", s.path, i, why)
				}
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			at := func() int { return fset.Position(n.Pos()).Line }
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s:%d starts a goroutine: the core runs on its owner's, in an order that a replay repeats.", s.path, at())
			case *ast.SelectStmt, *ast.ChanType:
				t.Errorf("%s:%d uses channels: slow things leave the core as messages that its driver carries.", s.path, at())
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				if !ok || x.Obj != nil {
					return true
				}
				if x.Name == "time" && slices.Contains(clocks, n.Sel.Name) {
					t.Errorf("%s:%d calls time.%s: time is an argument, so that a simulated second takes no second.", s.path, at(), n.Sel.Name)
				}
				if x.Name == "rand" && !slices.Contains(sources, n.Sel.Name) {
					t.Errorf("%s:%d uses rand.%s: it draws from the global source; take a stream of internal/seed.", s.path, at(), n.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestEveryCorePackageExists(t *testing.T) {
	dirs := map[string]bool{}
	for _, s := range tree(t) {
		dirs[s.dir] = true
	}
	for _, c := range core {
		if !dirs[c] {
			t.Errorf("core lists %s, which is not in the tree: a rule about nothing protects nothing.", c)
		}
	}
}
