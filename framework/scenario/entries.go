package scenario

import (
	"reflect"

	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/topology"
	"github.com/stellarlab/stellarlab/framework/workload"
)

func (t *Topology) decode(d *decoder, n *node, path string) {
	t.at = n
	if n.kind != mapping {
		d.add(n, path, "%s, where a mapping with one topology is wanted", n.kind)
		return
	}
	var kinds []string
	for _, k := range topology.Catalogue() {
		kinds = append(kinds, k.Name)
	}
	kind, value := one(d, n, path, "topology", nil, kinds)
	if value == nil {
		return
	}
	k, _ := topology.Lookup(kind)
	t.Kind, t.Params = kind, k.New()
	d.params(value, t.Params, join(path, kind))
}

// params decodes a kind's parameters and validates them when they could be read.
func (d *decoder) params(n *node, p interface{ Validate() error }, path string) {
	before := len(d.problems)
	d.decode(n, reflect.ValueOf(p).Elem(), path)
	if len(d.problems) == before {
		d.addAll(n, path, p.Validate())
	}
}

func (w *Workload) decode(d *decoder, n *node, path string) {
	w.at = n
	if n.kind != mapping {
		d.add(n, path, "%s, where a mapping with a name and one workload is wanted", n.kind)
		return
	}
	var kinds []string
	for _, k := range workload.Catalogue() {
		kinds = append(kinds, k.Name)
	}
	d.name(n, &w.Name, path)
	kind, value := one(d, n, path, "workload", []string{"name"}, kinds)
	if value == nil {
		return
	}
	k, _ := workload.Lookup(kind)
	w.Kind, w.Params = kind, k.New()
	d.params(value, w.Params, join(path, kind))
}

// name reads the name of an entry.
func (d *decoder) name(n *node, v *string, path string) {
	f := n.get("name")
	if f == nil {
		d.add(n, path, "no name: every entry has one, to be referred to")
		return
	}
	d.decode(f, reflect.ValueOf(v).Elem(), join(path, "name"))
	if *v == "" {
		d.add(f, join(path, "name"), "empty")
	}
}

// frameKeys are the fields of a fault beside its kind.
var frameKeys = []string{"name", "at", "for", "every", "times", "optional", "after"}

func (f *Fault) decode(d *decoder, n *node, path string) {
	f.at = n
	if n.kind != mapping {
		d.add(n, path, "%s, where a mapping with a name, at, for and one fault is wanted", n.kind)
		return
	}
	var kinds []string
	for _, k := range faults.Catalogue() {
		kinds = append(kinds, k.Name)
	}
	d.name(n, &f.Name, path)
	for _, c := range []struct {
		key string
		v   any
	}{{"at", &f.At}, {"for", &f.For}, {"every", &f.Every}, {"times", &f.Times}, {"optional", &f.Optional}} {
		if v := n.get(c.key); v != nil {
			d.decode(v, reflect.ValueOf(c.v).Elem(), join(path, c.key))
		}
	}
	if a := n.get("after"); a != nil {
		d.add(a, join(path, "after"), "triggers are not in this build: give the instant with at")
	} else if n.get("at") == nil {
		d.add(n, path, "no at: want the instant from the start of the run, such as at: 2ms")
	}
	if n.get("for") == nil {
		d.add(n, path, "no for: a fault lasts some time and is then undone, such as for: 10ms")
	} else if f.For == 0 {
		d.add(n.get("for"), join(path, "for"), "0s: a fault lasts some time, such as 10ms")
	}
	f.repetition(d, n, path)
	kind, value := one(d, n, path, "fault", frameKeys, kinds)
	if value == nil {
		return
	}
	k, _ := faults.Lookup(kind)
	f.Kind, f.Params = kind, k.New()
	f.target(d, k, value, join(path, kind))
}

// maxTimes bounds how often a fault repeats.
const maxTimes = 100_000

func (f *Fault) repetition(d *decoder, n *node, path string) {
	switch {
	case (n.get("every") == nil) != (n.get("times") == nil):
		d.add(n, path, "every and times go together: every: 5ms, times: 3")
	case n.get("times") == nil:
		f.Times = 1
	case f.Times < 1 || f.Times > maxTimes:
		d.add(n.get("times"), join(path, "times"), "%d: want 1 to %d", f.Times, maxTimes)
	case f.Every < f.For:
		d.add(n.get("every"), join(path, "every"), "%v is less than for, %v: an occurrence ends before the next begins", f.Every, f.For)
	}
}

// target splits the target from the parameters of a fault's value.
func (f *Fault) target(d *decoder, k faults.Kind, value *node, path string) {
	if value.kind != mapping {
		d.add(value, path, "%s, where a mapping is wanted: %s", value.kind, k.Example)
		return
	}
	rest := clone(value)
	field, into := "link", &f.Link
	if k.Aim == faults.AtDevice {
		field, into = "device", &f.Device
	}
	if t := rest.get(field); t != nil {
		into.decode(d, t, join(path, field))
		rest.remove(field)
	} else {
		d.add(value, path, "no %s: say where it strikes", field)
	}
	if k.Aim == faults.AtLink {
		f.Ways = "both"
		if w := rest.get("direction"); w != nil {
			d.decode(w, reflect.ValueOf(&f.Ways).Elem(), join(path, "direction"))
			rest.remove("direction")
		}
	}
	d.params(rest, f.Params, path)
}

func (e *Expectation) decode(d *decoder, n *node, path string) {
	e.at = n
	if n.kind != mapping {
		d.add(n, path, "%s, where a mapping with one expectation is wanted", n.kind)
		return
	}
	kinds := append([]string(nil), invariants...)
	for _, k := range expect.Catalogue() {
		kinds = append(kinds, k.Name)
	}
	kind, value := one(d, n, path, "expectation", nil, kinds)
	if value == nil {
		return
	}
	e.Kind = kind
	k, ok := expect.Lookup(kind)
	if !ok {
		if value.kind != null && len(value.keys)+len(value.items) > 0 || value.kind == scalar {
			d.add(value, join(path, kind), "%v", errInvariant)
		}
		return
	}
	e.Params = k.New()
	d.params(value, e.Params, join(path, kind))
}
