package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// module is the import path that the tree is rooted at.
const module = "github.com/stellarlab/stellarlab"

// source is one Go file of the tree.
type source struct {
	path  string // from the root of the tree, with slashes
	dir   string // of path
	test  bool
	file  *ast.File
	lines int
}

// imports returns the imported paths; those of the module are relative to its root, with a leading "./".
func (s *source) imports() []string {
	var out []string
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		if rest, ok := strings.CutPrefix(p, module); ok {
			p = "." + rest
		}
		out = append(out, p)
	}
	return out
}

// fset positions the parsed files.
var fset = token.NewFileSet()

// tree parses every Go file of the module.
func tree(t *testing.T) []source {
	t.Helper()
	root := "../.."
	var out []source
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" || name == "out") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, p, text, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		out = append(out, source{
			path: rel, dir: path.Dir(rel), test: strings.HasSuffix(name, "_test.go"),
			file: file, lines: strings.Count(string(text), "\n"),
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("found %d Go files: the walk does not see the tree", len(out))
	}
	return out
}

// under says that a directory is dir or below it.
func under(d, dir string) bool { return d == dir || strings.HasPrefix(d, dir+"/") }
