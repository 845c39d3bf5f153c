package scenario

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/faults/plan"
)

// Selector names one target, or says which to take: {all: SET}, {any: N, of: SET}, {at: SWITCH}.
type Selector struct {
	Name string `yaml:"-"`
	All  string `yaml:"all,omitempty" doc:"every member of a set"`
	Any  int    `yaml:"any,omitempty" doc:"so many members of a set, drawn by the seed"`
	Of   string `yaml:"of,omitempty" doc:"the set of any"`
	At   string `yaml:"at,omitempty" doc:"every link of a switch or host"`
	at   *node
	path string
}

func (s *Selector) decode(d *decoder, n *node, path string) {
	s.at, s.path = n, path
	if n.kind == scalar {
		s.Name = n.text
		return
	}
	type plainSelector Selector
	d.decode(n, reflect.ValueOf((*plainSelector)(s)).Elem(), path)
	s.at, s.path = n, path
	forms := 0
	for _, given := range []bool{s.All != "", s.Any != 0 || s.Of != "", s.At != ""} {
		if given {
			forms++
		}
	}
	if forms != 1 || (s.Any != 0) != (s.Of != "") || s.Any < 0 {
		d.add(n, path, "want a name, {all: SET}, {any: N, of: SET} or {at: SWITCH}")
	}
}

// links resolves s to links of g.
func (s *Selector) links(g *fabric.Graph, r *rand.Rand) ([]fabric.LinkID, error) {
	var set []fabric.LinkID
	switch {
	case s.Name != "":
		l, ok := g.Link(s.Name)
		if !ok {
			return nil, fmt.Errorf("no link is called %q: want a name such as %q, lower tier first", s.Name, g.Links[0].Name)
		}
		return []fabric.LinkID{l}, nil
	case s.At != "":
		n, ok := g.Node(s.At)
		if !ok {
			return nil, fmt.Errorf("no switch or host is called %q", s.At)
		}
		for _, p := range g.Ports(n) {
			set = append(set, p.Out.Link())
		}
		return set, nil
	}
	name := s.All + s.Of
	for i := range g.Links {
		if in, ok := inLinkSet(g, name, &g.Links[i]); !ok {
			return nil, fmt.Errorf("no set of links is called %q: want links, hostLinks or uplinks", name)
		} else if in {
			set = append(set, fabric.LinkID(i))
		}
	}
	return choose(set, s, name, r)
}

func inLinkSet(g *fabric.Graph, name string, l *fabric.Link) (in, known bool) {
	host := g.Nodes[l.A].Host()
	switch name {
	case "links":
		return true, true
	case "hostLinks":
		return host, true
	case "uplinks":
		return !host, true
	}
	return false, false
}

// hosts resolves s to hosts of g, by their devices.
func (s *Selector) hosts(g *fabric.Graph, r *rand.Rand) ([]fabric.NodeID, error) {
	if s.Name != "" {
		t, err := plan.FindTarget(g, faults.AtDevice, s.Name)
		return []fabric.NodeID{t.Host}, err
	}
	name := s.All + s.Of
	if name != "devices" && name != "hosts" {
		return nil, fmt.Errorf("no set of devices is called %q: want devices", name+s.At)
	}
	var set []fabric.NodeID
	for h := range fabric.NodeID(g.Hosts()) {
		set = append(set, h)
	}
	return choose(set, s, name, r)
}

// choose takes all of set, or as many as s asks for, in order.
func choose[T ~int32](set []T, s *Selector, name string, r *rand.Rand) ([]T, error) {
	if len(set) == 0 {
		return nil, fmt.Errorf("the set %s has no member in this topology", name)
	}
	if s.Any == 0 {
		return set, nil
	}
	if s.Any > len(set) {
		return nil, fmt.Errorf("any: %d of %s: the set has %d members", s.Any, name, len(set))
	}
	r.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
	set = set[:s.Any]
	slices.Sort(set)
	return set, nil
}

// directions returns the directions of a link that ways means: both, or one by its name.
func directions(g *fabric.Graph, l fabric.LinkID, ways string) ([]fabric.Dir, error) {
	d := fabric.Dir(2 * l)
	switch ways {
	case "both":
		return []fabric.Dir{d, d + 1}, nil
	case g.DirName(d), "up":
		return []fabric.Dir{d}, nil
	case g.DirName(d + 1), "down":
		return []fabric.Dir{d + 1}, nil
	}
	return nil, fmt.Errorf("direction %q: want both, up (from the lower tier), down, %q or %q", ways, g.DirName(d), g.DirName(d+1))
}
