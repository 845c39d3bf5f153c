package scenario

import (
	"encoding"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// decoder fills Go values from a tree and collects every problem.
type decoder struct {
	file     string
	problems Problems
}

func (d *decoder) add(n *node, path, format string, args ...any) {
	d.problems = append(d.problems, Problem{d.file, n.line, path, fmt.Sprintf(format, args...)})
}

// addAll adds each line of a joined error as a problem of its own.
func (d *decoder) addAll(n *node, path string, err error) {
	if err == nil {
		return
	}
	for line := range strings.Lines(err.Error()) {
		what := strings.TrimSuffix(line, "\n")
		d.add(n.at(what), path, "%s", what)
	}
}

// at returns the value that a message is about, when it begins with the field's path; else n itself.
func (n *node) at(what string) *node {
	field, _, _ := strings.Cut(what, " ")
	for _, w := range strings.Split(strings.TrimSuffix(field, ":"), ".") {
		w, _, _ = strings.Cut(w, "[")
		next := n.get(w)
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// decodes is a type that decodes itself.
type decodes interface {
	decode(d *decoder, n *node, path string)
}

// decode fills v, a settable value, from n.
func (d *decoder) decode(n *node, v reflect.Value, path string) {
	if v.CanAddr() {
		if own, ok := v.Addr().Interface().(decodes); ok {
			own.decode(d, n, path)
			return
		}
		if text, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
			d.text(n, text, path)
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decode(n, v.Elem(), path)
	case reflect.Struct:
		if d.want(n, mapping, path, v) {
			d.structure(n, v, path)
		}
	case reflect.Map:
		if d.want(n, mapping, path, v) {
			d.table(n, v, path)
		}
	case reflect.Slice:
		d.list(n, v, path)
	default:
		if d.want(n, scalar, path, v) {
			d.scalar(n, v, path)
		}
	}
}

// want checks the kind of n.
func (d *decoder) want(n *node, k nodeKind, path string, v reflect.Value) bool {
	if n.kind == k || n.kind == null && k == mapping {
		return true
	}
	d.add(n, path, "%s, where %s is wanted", n.kind, describe(v, k))
	return false
}

func describe(v reflect.Value, k nodeKind) string {
	switch {
	case k == scalar:
		return "a " + strings.TrimRight(v.Kind().String(), "0123456789")
	case v.Kind() == reflect.Struct:
		return "a mapping of " + strings.Join(fieldNames(v.Type()), ", ")
	}
	return k.String()
}

func (d *decoder) text(n *node, v encoding.TextUnmarshaler, path string) {
	if n.kind != scalar {
		err := v.UnmarshalText(nil)
		d.add(n, path, "%s, where one value is wanted: %v", n.kind, err)
		return
	}
	if err := v.UnmarshalText([]byte(n.text)); err != nil {
		d.add(n, path, "%v", err)
	}
}

func (d *decoder) structure(n *node, v reflect.Value, path string) {
	known := fields(v)
	for i, key := range n.keys {
		f, ok := known[key]
		if !ok {
			d.unknown(n, i, path, fieldNames(v.Type()))
			continue
		}
		d.decode(n.items[i], f, join(path, key))
	}
}

// unknown reports key i of n, with the nearest of the names that would be right.
func (d *decoder) unknown(n *node, i int, path string, names []string) {
	key := n.keys[i]
	hint := "want one of " + strings.Join(names, ", ")
	if near := nearest(key, names); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	d.problems = append(d.problems, Problem{d.file, n.lines[i], join(path, key), "unknown field: " + hint})
}

func (d *decoder) table(n *node, v reflect.Value, path string) {
	m := reflect.MakeMap(v.Type())
	for i, key := range n.keys {
		e := reflect.New(v.Type().Elem()).Elem()
		d.decode(n.items[i], e, join(path, key))
		m.SetMapIndex(reflect.ValueOf(key), e)
	}
	v.Set(m)
}

func (d *decoder) list(n *node, v reflect.Value, path string) {
	items := n.items
	if n.kind == scalar && v.Type().Elem().Kind() == reflect.String {
		items = []*node{n} // one host stands for a list of one
	} else if n.kind != sequence {
		d.add(n, path, "%s, where a list is wanted", n.kind)
		return
	}
	s := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		d.decode(item, s.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	v.Set(s)
}

func (d *decoder) scalar(n *node, v reflect.Value, path string) {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(n.text)
	case v.Kind() == reflect.Bool:
		b, err := strconv.ParseBool(n.text)
		if err != nil || n.text != "true" && n.text != "false" {
			d.add(n, path, "%q: want true or false", n.text)
		}
		v.SetBool(b)
	case v.CanInt():
		i, err := strconv.ParseInt(n.text, 0, v.Type().Bits())
		if err != nil {
			d.add(n, path, "%q: want a whole number", n.text)
		}
		v.SetInt(i)
	case v.CanUint():
		u, err := strconv.ParseUint(n.text, 0, v.Type().Bits())
		if err != nil {
			d.add(n, path, "%q: want a whole number, not negative", n.text)
		}
		v.SetUint(u)
	case v.CanFloat():
		f, err := strconv.ParseFloat(n.text, 64)
		if err != nil || f != f {
			d.add(n, path, "%q: want a number", n.text)
		}
		v.SetFloat(f)
	default:
		panic("scenario: no scalar: " + v.Type().String())
	}
}

// fields returns the fields of a struct by their names in the file; those of inlined structs included.
func fields(v reflect.Value) map[string]reflect.Value {
	out := map[string]reflect.Value{}
	eachField(v.Type(), nil, func(name string, index []int, _ reflect.StructField) {
		out[name] = v.FieldByIndex(index)
	})
	return out
}

// fieldNames returns the names of a struct's fields in the file, in order of the type.
func fieldNames(t reflect.Type) []string {
	var out []string
	eachField(t, nil, func(name string, _ []int, _ reflect.StructField) { out = append(out, name) })
	return out
}

// eachField calls fn for every field that the file may give.
func eachField(t reflect.Type, at []int, fn func(name string, index []int, f reflect.StructField)) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		index := append(append([]int(nil), at...), i)
		switch {
		case strings.Contains(rest, "inline"):
			eachField(f.Type, index, fn)
		case name != "" && name != "-":
			fn(name, index, f)
		}
	}
}

// nearest returns the name that is at most two edits away from key, or "".
func nearest(key string, names []string) string {
	best, at := "", 3
	for _, n := range names {
		if e := edits(strings.ToLower(key), strings.ToLower(n)); e < at && e < len(n) {
			best, at = n, e
		}
	}
	return best
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// sortByLine orders problems as the file is read.
func (d *decoder) sortByLine() {
	sort.SliceStable(d.problems, func(i, j int) bool { return d.problems[i].Line < d.problems[j].Line })
}
