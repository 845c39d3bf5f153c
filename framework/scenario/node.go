package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxFile bounds a scenario file: what is larger is no scenario.
const maxFile = 1 << 20

// node is one value of the file with its line: what decoding, overriding and setting work on.
type node struct {
	kind  nodeKind
	line  int
	text  string // of a scalar, as written
	bare  bool   // a scalar that is a number, boolean or null, not a string
	keys  []string
	lines []int // of the keys
	items []*node
}

type nodeKind uint8

const (
	scalar nodeKind = iota
	mapping
	sequence
	null
)

func (k nodeKind) String() string {
	return [...]string{"a value", "a mapping", "a list", "nothing"}[k]
}

// get returns the value of a key of a mapping, or nil.
func (n *node) get(key string) *node {
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	return nil
}

// put sets the value of a key of a mapping.
func (n *node) put(key string, v *node) {
	for i, k := range n.keys {
		if k == key {
			n.items[i] = v
			return
		}
	}
	n.keys, n.lines, n.items = append(n.keys, key), append(n.lines, v.line), append(n.items, v)
}

// remove drops a key of a mapping.
func (n *node) remove(key string) {
	for i, k := range n.keys {
		if k == key {
			n.keys = append(n.keys[:i:i], n.keys[i+1:]...)
			n.lines = append(n.lines[:i:i], n.lines[i+1:]...)
			n.items = append(n.items[:i:i], n.items[i+1:]...)
			return
		}
	}
}

// readFile reads a scenario file; one that is too large is not read.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, Problems{{File: path, What: fmt.Sprintf("cannot be read: %v", err)}}
	}
	defer f.Close() //nolint:errcheck // read only
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, Problems{{File: path, What: fmt.Sprintf("cannot be read: %v", err)}}
	case len(b) > maxFile:
		return nil, Problems{{File: path, What: "larger than 1 MiB: a scenario is a small file; is this one?"}}
	case len(strings.TrimSpace(string(b))) == 0:
		return nil, Problems{{File: path, What: "empty: want a YAML document with apiVersion, kind, metadata and spec"}}
	}
	return b, nil
}

// parse turns the text of a scenario, a mapping, into a tree.
func parse(file string, text []byte) (*node, Problems) {
	root, problems := tree(file, text)
	if len(problems) == 0 && root.kind != mapping {
		problems = Problems{{File: file, Line: root.line, What: "not a mapping: want apiVersion, kind, metadata and spec"}}
	}
	return root, problems
}

// tree turns YAML text into a tree. Duplicate keys, several documents, anchors and aliases are problems.
func tree(file string, text []byte) (*node, Problems) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // what some editors begin a file with
	if !utf8.Valid(text) {
		return nil, Problems{{File: file, Line: notText(text), What: "not YAML: bytes that are no UTF-8"}}
	}
	if line := tooDeep(text); line > 0 {
		return nil, Problems{{File: file, Line: line, What: fmt.Sprintf("nested more than %d deep: a scenario is not", maxDepth)}}
	}
	f, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, Problems{syntax(file, err)}
	}
	p := &treeMaker{file: file}
	var bodies []ast.Node
	for _, d := range f.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	switch {
	case len(bodies) == 0:
		return nil, Problems{{File: file, What: "empty: want a YAML document with apiVersion, kind, metadata and spec"}}
	case len(bodies) > 1:
		return nil, Problems{{File: file, Line: bodies[1].GetToken().Position.Line, What: "a second document: a file holds one scenario"}}
	}
	return p.make(bodies[0], ""), p.problems
}

// notText returns the first line that is not UTF-8.
func notText(text []byte) int {
	line := 1
	for l := range bytes.Lines(text) {
		if !utf8.Valid(l) {
			break
		}
		line++
	}
	return line
}

// maxDepth bounds nesting: the parser's time grows with the square of it.
const maxDepth = 200

// tooDeep returns the first line that nests deeper than maxDepth, or 0. It counts open brackets, and the indent and
// dashes that a line begins with, without regard to quotes: no scenario comes near the bound.
func tooDeep(text []byte) int {
	line, open, indent, leading := 1, 0, 0, true
	for _, c := range text {
		switch c {
		case '\n':
			line, indent, leading = line+1, 0, true
			continue
		case '[', '{':
			open++
		case ']', '}':
			open = max(open-1, 0)
		}
		leading = leading && (c == ' ' || c == '-' || c == '?' || c == ':')
		if leading {
			indent++
		}
		if open > maxDepth || indent > 2*maxDepth {
			return line
		}
	}
	return 0
}

// syntax makes a problem of a parser's error, whose text begins with [line:column] and goes on with an excerpt.
func syntax(file string, err error) Problem {
	text, _, _ := strings.Cut(err.Error(), "\n")
	line := 0
	var column int
	if n, _ := fmt.Sscanf(text, "[%d:%d]", &line, &column); n == 2 {
		_, text, _ = strings.Cut(text, "] ")
	}
	return Problem{File: file, Line: line, What: "not YAML: " + text}
}

type treeMaker struct {
	file     string
	problems Problems
}

func (p *treeMaker) add(line int, field, format string, args ...any) {
	p.problems = append(p.problems, Problem{p.file, line, field, fmt.Sprintf(format, args...)})
}

func (p *treeMaker) make(a ast.Node, path string) *node {
	n := &node{}
	if t := a.GetToken(); t != nil && t.Position != nil {
		n.line = t.Position.Line
	}
	switch a := a.(type) {
	case *ast.MappingNode:
		n.kind = mapping
		if len(a.Values) > 0 {
			n.line = a.Values[0].Key.GetToken().Position.Line
		}
		for _, v := range a.Values {
			p.pair(n, v, path)
		}
	case *ast.MappingValueNode:
		n.kind = mapping
		n.line = a.Key.GetToken().Position.Line
		p.pair(n, a, path)
	case *ast.SequenceNode:
		n.kind = sequence
		for i, v := range a.Values {
			n.items = append(n.items, p.make(v, fmt.Sprintf("%s[%d]", path, i)))
		}
	case *ast.NullNode:
		n.kind = null
	case *ast.StringNode:
		n.text = a.Value
	case *ast.LiteralNode:
		n.text = a.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		n.text, n.bare = a.GetToken().Value, true
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		p.add(n.line, path, "anchors and aliases are not read: write the value out")
		n.kind = null
	default:
		p.add(n.line, path, "%s is not read here", a.Type())
		n.kind = null
	}
	return n
}

func (p *treeMaker) pair(n *node, v *ast.MappingValueNode, path string) {
	t := v.Key.GetToken()
	key, line := t.Value, t.Position.Line
	field := join(path, key)
	if _, ok := v.Key.(*ast.MergeKeyNode); ok {
		p.add(line, path, "merge keys are not read: write the fields out")
		return
	}
	for i, k := range n.keys {
		if k == key {
			p.add(line, field, "given twice: first in line %d", n.lines[i])
			return
		}
	}
	n.keys, n.lines = append(n.keys, key), append(n.lines, line)
	n.items = append(n.items, p.make(v.Value, field))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
