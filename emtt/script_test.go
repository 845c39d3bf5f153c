package emtt_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stellarlab/stellarlab/emtt"
	"github.com/stellarlab/stellarlab/internal/mem"
)

// always is a level in which every look-up misses.
type always struct{ looked int }

func (a *always) Lookup(mem.Key, uint64) (bool, time.Duration) {
	a.looked++
	return false, 4 * time.Microsecond
}

// TestScripts runs the stories in testdata. A region of domain 1 may be written from afar unless it says local.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var tab *emtt.Table
		var level emtt.LevelID
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			var out strings.Builder
			number := func(name string) uint64 {
				text := "0"
				td.MaybeScanArgs(t, name, &text)
				n, err := strconv.ParseUint(text, 0, 64)
				if err != nil {
					t.Fatalf("%s: %s: %v", td.Pos, name, err)
				}
				return n
			}
			switch td.Cmd {
			case "new":
				var err error
				tab, err = emtt.New(emtt.Config{Entries: int(number("entries")), Regions: int(number("regions")), Cost: time.Microsecond})
				if err != nil {
					return err.Error()
				}
			case "register":
				r := emtt.Region{PD: 1, VA: mem.VA(number("va")), GPA: mem.GPA(number("gpa")), Len: number("len"), Rights: mem.LocalWrite | mem.RemoteWrite}
				if td.HasArg("local") {
					r.Rights = mem.LocalWrite
				}
				if td.HasArg("gpu") {
					r.Kind = mem.GPU
				}
				key, err := tab.Register(r)
				if err != nil {
					return err.Error() + "\n"
				}
				fmt.Fprintf(&out, "key %#x\n", uint32(key))
			case "deregister":
				if err := tab.Deregister(mem.Key(number("key"))); err != nil {
					return err.Error() + "\n"
				}
			case "write":
				a := emtt.Access{PD: 1, Key: mem.Key(number("key")), VA: mem.VA(number("va")), Len: uint32(number("len")), Rights: mem.RemoteWrite}
				if td.HasArg("pd") {
					a.PD = mem.PD(number("pd"))
				}
				switch tr := tab.Lookup(&a); {
				case tr.Verdict != emtt.Allowed:
					fmt.Fprintln(&out, tr.Verdict)
				case tr.Ticket != 0:
					fmt.Fprintf(&out, "wait for %d\n", tr.Ticket)
				default:
					fmt.Fprintf(&out, "%v %v\n", tr.Kind, tr.Span)
				}
			case "storm":
				level = tab.Push(&always{})
			case "calm":
				tab.Remove(level)
			case "answer":
				var err error
				if td.HasArg("fail") {
					err = errors.New("lost")
				}
				fmt.Fprintln(&out, tab.Answer(number("ticket"), err))
			default:
				t.Fatalf("%s: unknown command %s", td.Pos, td.Cmd)
			}
			for m, ok := tab.Miss(); ok; m, ok = tab.Miss() {
				fmt.Fprintf(&out, "miss ticket=%d va=%#x cost=%v\n", m.Ticket, uint64(m.VA), m.Cost)
			}
			if out.Len() == 0 {
				return "ok\n"
			}
			return out.String()
		})
	})
}
