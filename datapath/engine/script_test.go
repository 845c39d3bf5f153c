package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// script is a pair of ends that a story drives: a is the requester, b the responder.
type script struct {
	*pair
	log  strings.Builder
	drop map[string]int // by what a packet is called: how many of the next to lose
}

// call names a packet as the stories do: "data 3" is the fourth packet that a sends, "ack" an acknowledgement.
func call(k *wire.Packet) string {
	if k.Opcode == wire.Acknowledge {
		return "ack"
	}
	return fmt.Sprintf("data %d", (k.PSN+3)&(1<<24-1))
}

func (s *script) describe(k *wire.Packet) string {
	if k.Opcode == wire.WriteOnly {
		again := ""
		if k.Flags&wire.Retransmit != 0 {
			again = " again"
		}
		return fmt.Sprintf("%s%s path %d", call(k), again, k.Path)
	}
	if k.Syndrome >= wire.SyndromeSequenceError {
		return fmt.Sprintf("nak %#x at %d", uint8(k.Syndrome), (k.PSN+3)&(1<<24-1))
	}
	return fmt.Sprintf("ack all before %d, %d messages", (k.PSN+4)&(1<<24-1), k.AckMSN)
}

// TestScripts runs the stories in testdata. Commands: new [relaxed], post id= at= len= [to=], drop what= [times=],
// absent side= page= ticket=, ready side= ticket= [fail], run [until=duration], placed, state.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s *script
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "new" {
				s = &script{pair: open(t, engine.Config{Relaxed: d.HasArg("relaxed")}), drop: map[string]int{}}
				s.plan = func(_ int, k *wire.Packet) []time.Duration {
					if s.drop[call(k)] > 0 {
						s.drop[call(k)]--
						fmt.Fprintf(&s.log, "%v %s: lost\n", s.now, s.describe(k))
						return nil
					}
					fmt.Fprintf(&s.log, "%v %s\n", s.now, s.describe(k))
					return []time.Duration{hop}
				}
				return ""
			}
			return s.do(t, d)
		})
	})
}

func (s *script) do(t *testing.T, d *datadriven.TestData) string {
	number := func(key string, otherwise uint64) uint64 {
		if n := otherwise; !d.MaybeScanArgs(t, key, &n) {
			return otherwise
		} else {
			return n
		}
	}
	side := func() *end { return s.ends[number("side", 0)] }
	switch d.Cmd {
	case "post":
		at := mem.VA(number("at", 0))
		if err := s.post(number("id", 0), at, mem.VA(number("to", uint64(at))), uint32(number("len", 0))); err != nil {
			return err.Error()
		}
	case "drop":
		var what string
		d.ScanArgs(t, "what", &what)
		s.drop[strings.ReplaceAll(what, "-", " ")] += int(number("times", 1))
	case "absent":
		side().mem.absent = map[mem.VA]uint64{mem.VA(number("page", 0)): number("ticket", 1)}
	case "ready":
		side().mem.absent = nil
		side().MemReady(s.now, number("ticket", 1), !d.HasArg("fail"))
	case "run":
		s.log.Reset()
		seen := len(s.wcs)
		for s.step() {
			if us := number("us", 0); us > 0 && s.now.Sub(0) >= time.Duration(us)*time.Microsecond {
				break
			}
		}
		for _, wc := range s.wcs[seen:] {
			fmt.Fprintf(&s.log, "completed %d %v\n", wc.ID, wc.Status)
		}
		return s.log.String()
	case "placed":
		return fmt.Sprintln(s.ends[1].mem.placed)
	case "state":
		a, _ := s.ends[0].Info(s.ends[0].qpn)
		b, _ := s.ends[1].Info(s.ends[1].qpn)
		return fmt.Sprintf("a %v, %d outstanding, %d bytes in flight; b %v, %d held\n", a.State, a.Outstanding, a.InFlight, b.State, b.Held)
	default:
		t.Fatalf("unknown command %s", d.Cmd)
	}
	return ""
}
