package archtest_test

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// smell is the number of lines above which a file wants to be two.
const smell = 400

// large are the files that may be longer, each with the reason.
var large = map[string]string{}

func TestFilesAreOneThing(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range tree(t) {
		if s.lines <= smell {
			continue
		}
		seen[s.path] = true
		if large[s.path] == "" {
			t.Errorf("%s has %d lines, more than %d: a file that size is more than one thing. Cut it where its reader would stop, or give the reason in `large`.", s.path, s.lines, smell)
		}
	}
	for p := range large {
		if !seen[p] {
			t.Errorf("%s is in `large` but is not: take it out, so that it cannot grow again unseen.", p)
		}
	}
}

// sentence ends a sentence: a full stop, question mark or exclamation mark before white space and a capital, or
// at the end.
var sentence = regexp.MustCompile(`[.!?](\s+[A-Z]|\s*$)`)

func TestEveryPackageSaysWhatItIsAndWhatItIsNot(t *testing.T) {
	comments := map[string][]*source{}
	all := map[string]bool{}
	files := tree(t)
	for i := range files {
		s := &files[i]
		if s.test {
			continue
		}
		all[s.dir] = true
		if s.file.Doc != nil {
			comments[s.dir] = append(comments[s.dir], s)
		}
	}
	for dir := range all {
		switch got := comments[dir]; {
		case len(got) == 0:
			t.Errorf("%s has no package comment. The first thing that a reader needs is one sentence on what it is, and one on what it is not.", dir)
		case len(got) > 1:
			t.Errorf("%s has package comments in %s and %s: two comments drift apart.", dir, got[0].path, got[1].path)
		default:
			text := got[0].file.Doc.Text()
			first, _, _ := strings.Cut(text, "\n\n")
			if n := len(sentence.FindAllString(first, -1)); n < 2 {
				t.Errorf("%s: the package comment has %d sentence in its first paragraph. Say what it is, then what it is not, so that nobody puts the wrong thing in.", got[0].path, n)
			}
		}
	}
}

func TestNothingHappensOnImport(t *testing.T) {
	for _, s := range tree(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function: what happens on import cannot be ordered, tested or left out. Catalogues are explicit lists.", s.path)
			}
		}
	}
}

// unfinished marks work that was left.
var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

func TestNothingIsLeftUnfinished(t *testing.T) {
	for _, s := range tree(t) {
		if s.dir == "internal/archtest" {
			continue
		}
		for _, g := range s.file.Comments {
			if m := unfinished.FindString(g.Text()); m != "" {
				t.Errorf("%s:%d says %s: code in the tree is finished, or it is not in the tree.", s.path, fset.Position(g.Pos()).Line, m)
			}
		}
	}
}

func TestTestsStandOutsideTheirPackageAndDoNotSleep(t *testing.T) {
	for _, s := range tree(t) {
		if !s.test {
			continue
		}
		if !strings.HasSuffix(s.file.Name.Name, "_test") && !strings.HasSuffix(s.path, "/export_test.go") {
			t.Errorf("%s is in package %s: tests use what users use. What must be opened for them goes into export_test.go.", s.path, s.file.Name.Name)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && sel.Sel.Name == "Sleep" {
				t.Errorf("%s:%d sleeps: a test that waits for the wall clock is slow on a fast machine and wrong on a slow one.", s.path, fset.Position(n.Pos()).Line)
			}
			return true
		})
	}
}
