package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/internal/event"
)

func p[T any](v T) *T { return &v }

// verdict is one of everything.
func verdict() *report.Verdict {
	return &report.Verdict{
		Schema: report.Schema, Scenario: report.Scenario{Name: "grey", Digest: "d"}, Lab: "sim", Seed: 7,
		Judgement: expect.Fail, Outcome: expect.Fail, Reason: "recovery: too late", LabSeconds: 0.05, WallSeconds: 1.5,
		Expectations: []report.Expectation{
			{Name: "recovery", Kind: "recovery", Outcome: expect.Fail, Measured: p(2e6), Limit: p(1e6), Unit: "ns", Message: "back after 2ms, where 1ms is the limit"},
			{Name: "goodput", Kind: "goodput", Outcome: expect.Pass, Measured: p(9e9), Limit: p(8e9), Unit: "bit/s", Message: "9 Gb/s"},
			{Name: "later", Kind: "goodput", Outcome: expect.Inconclusive, Unit: "bit/s", Message: "no | load"},
			{Name: "other", Kind: "goodput", Outcome: expect.Unsupported, Unit: "bit/s", Message: "cannot"},
		},
		Invariants: []report.Invariant{
			{Name: "integrity", Outcome: expect.Pass, Checked: 9},
			{Name: "ledger", Outcome: expect.Fail, Checked: 4, Total: 2, Violations: []report.Violation{{At: 5_000_000, What: "<one> & two", Operation: "flow 0 message 3"}}},
		},
		Faults: []report.Fault{
			{Name: "hole", Kind: "link.blackhole", Target: []string{"leaf0-to-spine0", "spine0-to-leaf0"}, Confirmation: "confirmed",
				Effect: &report.Effect{DetectedAfter: p(int64(250_000)), GoodputFloor: p(0.83), RecoveredAfter: p(int64(2_000_000))}},
			{Name: "loss", Kind: "link.loss", Target: []string{"a", "b", "c", "d"}, Confirmation: "unmeasured"},
		},
		Workloads: []report.Workload{{Name: "bulk", Operations: 10, Bytes: 10 << 20, Packets: 2560, Retransmits: 3,
			Goodput: &report.Goodput{Mean: 9.5e9}, Completion: &report.Completion{Count: 10, Mean: 1, P50: 1, P99: 2, Max: 2.5}}},
		Ledger: report.Ledger{Sent: 100, Delivered: 90, Dropped: map[string]uint64{"loss": 7, "queue": 3}, Balanced: true},
	}
}

func TestJUnitTellsBrokenClaimsFromBrokenHarness(t *testing.T) {
	b, err := report.JUnit(verdict())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 9 || got.Failures != 3 || got.Errors != 2 || got.Skipped != 1 || len(got.Cases) != 9 {
		t.Errorf("tests %d, failures %d, errors %d, skipped %d", got.Tests, got.Failures, got.Errors, got.Skipped)
	}
	for _, c := range got.Cases {
		want := map[string][3]bool{
			"recovery": {true, false, false}, "ledger": {true, false, false}, "outcome": {true, false, false},
			"later": {false, true, false}, "loss": {false, true, false}, "other": {false, false, true},
		}[c.Name]
		if have := [3]bool{c.Failure != nil, c.Error != nil, c.Skipped != nil}; have != want {
			t.Errorf("%s: failure, error, skipped are %v, want %v", c.Name, have, want)
		}
	}
}

func TestAVerdictWithoutOutcomeIsNoPass(t *testing.T) {
	v := &report.Verdict{Judgement: expect.Pass}
	b, err := report.JUnit(v)
	if err != nil || !bytes.Contains(b, []byte("<error")) {
		t.Errorf("JUnit: %v\n%s", err, b)
	}
	var out strings.Builder
	if err := report.Text(&out, v); err != nil || !strings.HasPrefix(out.String(), "UNFINISHED") {
		t.Errorf("text: %v\n%s", err, out.String())
	}
	j, err := json.Marshal(v)
	if err != nil || bytes.Contains(j, []byte(`"outcome"`)) {
		t.Errorf("JSON: %v\n%s", err, j)
	}
}

func TestText(t *testing.T) {
	var out strings.Builder
	if err := report.Text(&out, verdict()); err != nil {
		t.Fatal(err)
	}
	const want = `FAIL             grey on sim, seed 7
  because        recovery: too late
  fault hole     link.blackhole on leaf0-to-spine0, spine0-to-leaf0: confirmed, noticed after 250µs, goodput down to 83 %, recovered after 2ms
  fault loss     link.loss on a, b and 2 more: unmeasured
  recovery       fail: back after 2ms, where 1ms is the limit
  goodput        pass: 9 Gb/s
  later          inconclusive: no | load
  other          unsupported: cannot
  ledger         fail: 2 violations, the first at 5ms: <one> & two
  invariants     1 of 2 held, 13 checks
  workload bulk  10 messages, 10.0 MiB, 0 failed, 9.5 Gb/s; 3 of 2560 packets sent again
  packets        100 sent over links, 10 dropped (queue 3, loss 7)
  time           0.05 s in the lab, 1.5 s on the wall
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestMarkdownKeepsItsTables(t *testing.T) {
	var out strings.Builder
	if err := report.Markdown(&out, verdict()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# grey: fail", "| recovery | fail | 2ms | 1ms |", "| goodput | pass | 9 Gb/s | 8 Gb/s |", `no \| load`,
		"| hole | link.blackhole | leaf0-to-spine0, spine0-to-leaf0 | confirmed | 250µs | 83 % | 2ms |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestEveryCauseOfADropHasItsOwnName(t *testing.T) {
	seen := map[string]bool{}
	for c := event.DropQueue; c < event.DropCauses; c++ {
		n := report.Cause(c)
		if n == "unknown" || seen[n] {
			t.Errorf("cause %d is called %q", c, n)
		}
		seen[n] = true
	}
}
