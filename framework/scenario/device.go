package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/stellarlab/stellarlab/datapath/fabric"
	"github.com/stellarlab/stellarlab/datapath/host"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/seed"
	"github.com/stellarlab/stellarlab/internal/units"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"github.com/stellarlab/stellarlab/pvdma"
	"github.com/stellarlab/stellarlab/spray"
)

// DeviceSettings are the settings of a vStellar device.
type DeviceSettings struct {
	MTU         units.Size     `yaml:"mtu" default:"4096B" doc:"payload bytes per packet, 256B to 8KiB"`
	Paths       int            `yaml:"paths" default:"128" doc:"per queue pair, 1 to 256"`
	Policy      string         `yaml:"policy" default:"oblivious" doc:"spray policy"`
	RTO         units.Duration `yaml:"rto" default:"250us" doc:"floor of the retransmission timeout; in namespaces the measured floor may be higher"`
	Retries     int            `yaml:"retries" default:"7" doc:"timeouts of a packet without progress until RETRY_EXC_ERR"`
	Window      units.Size     `yaml:"window,omitempty" doc:"bound of the congestion window; 1.5 bandwidth-delay products of the longest path, in namespaces 1MiB"`
	Congestion  Congestion     `yaml:"congestion,omitempty"`
	Ordering    string         `yaml:"ordering" default:"strict" doc:"strict or relaxed, as a memory poller sees it"`
	Transport   string         `yaml:"transport" default:"spray" doc:"spray"`
	Memory      Memory         `yaml:"memory,omitempty"`
	Translation Translation    `yaml:"translation,omitempty"`
	AckEvery    units.Size     `yaml:"ackEvery" default:"16KiB" doc:"received bytes per acknowledgement"`
	Wire        Wire           `yaml:"wire,omitempty"`
}

// Congestion are the parameters of the congestion window.
type Congestion struct {
	TargetDelay units.Duration `yaml:"targetDelay,omitempty" doc:"queueing delay above which the window shrinks; one base round trip, in namespaces 2ms"`
}

// Memory is the guest memory of a device.
type Memory struct {
	Guest    units.Size `yaml:"guest" default:"64GiB" doc:"guest physical memory"`
	Pin      string     `yaml:"pin" default:"onDemand" doc:"onDemand, pinAll or pinRegistered"`
	Block    units.Size `yaml:"block" default:"2MiB" doc:"what is pinned as one, a power of two"`
	MapCache int        `yaml:"mapCache,omitempty" default:"0" doc:"entries; 0 is unlimited"`
	Doorbell string     `yaml:"doorbells,omitempty" default:"shm" doc:"where doorbells are mapped: shm"`
}

// Translation is how a device translates.
type Translation struct {
	Mode    string `yaml:"mode" default:"emtt" doc:"emtt"`
	Entries int    `yaml:"entries,omitempty" default:"0" doc:"cached translations; 0 is unlimited"`
}

// Wire is the simulator's accounting of bytes on the wire; from the real headers where it is not given.
type Wire struct {
	Data units.Size `yaml:"data,omitempty" doc:"a full data packet"`
	Ack  units.Size `yaml:"ack,omitempty" doc:"an acknowledgement"`
}

// Device is the settings of all devices, and what differs on some.
type Device struct {
	DeviceSettings
	Overrides []Override
}

// Override is the settings of one host's device.
type Override struct {
	Host string
	DeviceSettings
	at *node
}

func defaultDevice() DeviceSettings {
	return DeviceSettings{
		MTU: 4096, Paths: 128, Policy: "oblivious", RTO: 250_000, Retries: 7, Ordering: "strict", Transport: "spray",
		Memory:      Memory{Guest: 64 << 30, Pin: "onDemand", Block: 2 << 20, Doorbell: "shm"},
		Translation: Translation{Mode: "emtt"}, AckEvery: 16 << 10,
	}
}

// later are fields of the public contract that this build does not have, and what to do instead.
var later = map[string]string{
	"rnrRetries": "no workload of this build receives, so nothing is ever not ready; leave it out",
	"gpu":        "this build emulates host memory; leave it out",
}

func (v *Device) decode(d *decoder, n *node, path string) {
	v.DeviceSettings = defaultDevice()
	if n.kind == null {
		return
	}
	if n.kind != mapping {
		d.add(n, path, "%s, where a mapping of %s is wanted", n.kind, strings.Join(fieldNames(reflect.TypeOf(v.DeviceSettings)), ", "))
		return
	}
	rest := clone(n)
	list := rest.get("overrides")
	rest.remove("overrides")
	v.settings(d, rest, path)
	if list == nil {
		return
	}
	if list.kind != sequence {
		d.add(list, path+".overrides", "%s, where a list of {host: NAME, …} is wanted", list.kind)
		return
	}
	for i, item := range list.items {
		at := fmt.Sprintf("%s.overrides[%d]", path, i)
		o := Override{DeviceSettings: v.DeviceSettings, at: item}
		h := item.get("host")
		if item.kind != mapping || h == nil {
			d.add(item, at, "no host: say which device differs")
			continue
		}
		o.Host = h.text
		own := clone(item)
		own.remove("host")
		o.settings(d, own, at)
		v.Overrides = append(v.Overrides, o)
	}
}

// settings decodes and checks one set of settings; what is not given keeps its value.
func (s *DeviceSettings) settings(d *decoder, n *node, path string) {
	n = clone(n)
	for i := len(n.keys) - 1; i >= 0; i-- {
		if why, ok := later[n.keys[i]]; ok {
			d.problems = append(d.problems, Problem{d.file, n.lines[i], join(path, n.keys[i]), why})
			n.remove(n.keys[i])
		}
	}
	before := len(d.problems)
	d.decode(n, reflect.ValueOf(s).Elem(), path)
	if len(d.problems) == before {
		d.addAll(n, path, s.Validate())
	}
}

// Validate says which settings are wrong and what would be right; all of them, joined.
func (s *DeviceSettings) Validate() error {
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(s.MTU >= 256 && s.MTU <= 8192, "mtu is %v: want 256B to 8KiB of payload", s.MTU)
	bad(s.Paths >= 1 && s.Paths <= spray.MaxPaths, "paths is %d: want 1 to %d", s.Paths, spray.MaxPaths)
	_, known := spray.Lookup(s.Policy)
	bad(known, "policy is %q: want one of %v", s.Policy, spray.Names())
	bad(s.RTO >= 1000 && s.RTO <= units.Duration(time.Minute), "rto is %v: want 1us to 1m", s.RTO)
	bad(s.Retries >= 0 && s.Retries <= 127, "retries is %d: want 0 to 127", s.Retries)
	bad(s.Window == 0 || s.Window >= s.MTU && s.Window <= 1<<30, "window is %v: want a packet's worth to 1GiB", s.Window)
	bad(s.Ordering == "strict" || s.Ordering == "relaxed", "ordering is %q: want strict or relaxed", s.Ordering)
	bad(s.Transport == "spray", "transport is %q: this build has spray", s.Transport)
	bad(s.Translation.Mode == "emtt", "translation.mode is %q: this build has emtt", s.Translation.Mode)
	bad(s.Translation.Entries >= 0, "translation.entries is %d: want 0 for unlimited, or a number of entries", s.Translation.Entries)
	bad(s.Memory.Doorbell == "shm", "memory.doorbells is %q: this build has shm", s.Memory.Doorbell)
	bad(s.AckEvery > 0 && s.AckEvery <= 1<<24, "ackEvery is %v: want up to 16MiB", s.AckEvery)
	bad(s.Wire.Data == 0 || s.Wire.Data > s.MTU && s.Wire.Data <= s.MTU+1024, "wire.data is %v: want the mtu of %v and its headers", s.Wire.Data, s.MTU)
	bad(s.Wire.Ack <= 1024, "wire.ack is %v: want at most 1KiB", s.Wire.Ack)
	m := pvdma.Config{Guest: uint64(s.Memory.Guest), Block: uint64(s.Memory.Block), Mode: pvdma.Mode(s.Memory.Pin), MapCache: s.Memory.MapCache}
	if err := m.Validate(); err != nil {
		for line := range strings.Lines(err.Error()) {
			errs = append(errs, errors.New("memory: "+strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "pvdma: ")))
		}
	}
	return errors.Join(errs...)
}

// What the namespace lab starts from where nothing can be computed: the machine's speed is not the link's.
const (
	netnsRTT    = 200 * time.Microsecond
	netnsWindow = 1 << 20
	netnsTarget = 2 * time.Millisecond
)

// config resolves the settings for host h of g.
func (s *DeviceSettings) config(lab string, g *fabric.Graph, h fabric.NodeID, run, base uint64) host.Config {
	c := host.Config{
		Node: int32(h), Addr: g.Nodes[h].Addr, Run: run, Seed: uint64(seed.Derive(base, "device/"+g.Nodes[h].Name)),
		MTU: uint32(s.MTU), Paths: s.Paths, Policy: s.Policy, RTO: s.RTO.Std(), Retries: s.Retries,
		Window: uint64(s.Window), Relaxed: s.Ordering == "relaxed", AckEvery: uint32(s.AckEvery),
		Congestion: host.Congestion{TargetDelay: s.Congestion.TargetDelay.Std()},
		Memory: host.Memory{
			Guest: uint64(s.Memory.Guest), Pin: host.PinMode(s.Memory.Pin), Block: uint64(s.Memory.Block),
			MapCache: s.Memory.MapCache, PD: 1,
		},
		Entries: s.Translation.Entries, WireData: uint32(s.Wire.Data), WireAck: uint32(s.Wire.Ack),
	}
	if lab == "netns" {
		c.Congestion.BaseRTT = netnsRTT
		fill(&c.Window, netnsWindow)
		fill(&c.Congestion.TargetDelay, netnsTarget)
		return c
	}
	rtt, rate := s.roundTrip(g, h)
	c.Congestion.BaseRTT = rtt
	fill(&c.Window, max(uint64(s.MTU), uint64(float64(rate)/8*rtt.Seconds()*1.5)))
	fill(&c.Congestion.TargetDelay, rtt)
	return c
}

func fill[T comparable](v *T, with T) {
	var zero T
	if *v == zero {
		*v = with
	}
}

// roundTrip is the time that a full packet and its acknowledgement take from host h to the furthest host and back
// over an idle fabric, and the rate of the slowest link on the way.
func (s *DeviceSettings) roundTrip(g *fabric.Graph, h fabric.NodeID) (rtt time.Duration, rate uint64) {
	data := wire.Packet{Opcode: wire.WriteOnly}
	data.Payload.Len = uint32(s.MTU)
	ack := wire.Packet{Opcode: wire.Acknowledge}
	dataBits, ackBits := uint64(wire.Size(&data)+wire.Framing)*8, uint64(wire.Size(&ack)+wire.Framing)*8
	if s.Wire.Data > 0 {
		dataBits = uint64(s.Wire.Data) * 8
	}
	if s.Wire.Ack > 0 {
		ackBits = uint64(s.Wire.Ack) * 8
	}
	for to := range fabric.NodeID(g.Hosts()) {
		var t time.Duration
		slowest := uint64(0)
		for n := h; n != to; {
			p := g.Ports(n)[g.NextHops(n, to)[0]]
			l := &g.Links[p.Out.Link()]
			t += 2*l.Delay + vtime.Bits(dataBits, l.Rate) + vtime.Bits(ackBits, l.Rate)
			if slowest == 0 || l.Rate < slowest {
				slowest = l.Rate
			}
			n = p.Peer
		}
		if t > rtt {
			rtt, rate = t, slowest
		}
	}
	return rtt, rate
}
