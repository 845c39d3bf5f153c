package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// merge lays over over base and returns the result: mappings field by field, lists of named entries entry by
// entry, everything else whole. Lines stay those of where a value was written.
func merge(base, over *node) *node {
	if base == nil || base.kind != over.kind {
		return over
	}
	switch {
	case over.kind == mapping:
		out := clone(base)
		for i, k := range over.keys {
			out.put(k, merge(base.get(k), over.items[i]))
		}
		return out
	case over.kind == sequence && named(base) && named(over):
		out := clone(base)
		for _, item := range over.items {
			if i := indexOf(out, item.get("name").text); i >= 0 {
				out.items[i] = merge(out.items[i], item)
			} else {
				out.items = append(out.items, item)
			}
		}
		return out
	}
	return over
}

func clone(n *node) *node {
	c := *n
	c.keys = append([]string(nil), n.keys...)
	c.lines = append([]int(nil), n.lines...)
	c.items = append([]*node(nil), n.items...)
	return &c
}

// named says that n is a list whose entries all have a name.
func named(n *node) bool {
	for _, item := range n.items {
		if item.kind != mapping || item.get("name") == nil {
			return false
		}
	}
	return true
}

func indexOf(list *node, name string) int {
	for i, item := range list.items {
		if item.get("name").text == name {
			return i
		}
	}
	return -1
}

// setPath sets one value from the command line: path is fields joined by dots from spec on, a list entry by its
// number in brackets or by its name, such as device.paths, workloads[0].write.size or faults.grey.for.
func setPath(root *node, assignment string) error {
	path, value, ok := strings.Cut(assignment, "=")
	if !ok || path == "" {
		return fmt.Errorf("--set %s: want path=value, such as device.paths=64", assignment)
	}
	v, problems := tree("--set "+path, []byte(value))
	if len(problems) > 0 {
		return problems
	}
	words := strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(path), ".")
	if words[0] != "spec" && words[0] != "metadata" {
		words = append([]string{"spec"}, words...)
	}
	at := root
	for i := 0; i < len(words); i++ {
		w := words[i]
		for j := len(words); j > i && at.kind == mapping; j-- { // a key may hold dots: link.loss
			if key := strings.Join(words[i:j], "."); at.get(key) != nil {
				w, i = key, j-1
				break
			}
		}
		last := i == len(words)-1
		switch {
		case at.kind == sequence:
			k, err := strconv.Atoi(w)
			if err != nil {
				if k = -1; named(at) {
					k = indexOf(at, w)
				}
			}
			if k < 0 || k >= len(at.items) {
				return fmt.Errorf("--set %s: no entry %q in a list of %d", assignment, w, len(at.items))
			}
			if last {
				at.items[k] = v
			}
			at = at.items[k]
		case at.kind == mapping || at.kind == null:
			at.kind = mapping
			if last {
				at.put(w, v)
				return nil
			}
			next := at.get(w)
			if next == nil {
				next = &node{kind: mapping, line: at.line}
				at.put(w, next)
			}
			at = next
		default:
			return fmt.Errorf("--set %s: %q has no fields", assignment, strings.Join(words[:i], "."))
		}
	}
	return nil
}
