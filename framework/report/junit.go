package report

import (
	"encoding/xml"
	"fmt"

	"github.com/stellarlab/stellarlab/framework/expect"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Stamp    string      `xml:"timestamp,attr,omitempty"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit renders a verdict as JUnit XML: a test case per expectation, invariant and fault. A failure is a broken
// claim of the system, an error is a broken harness or an unproven injection, skipped a missing capability.
func JUnit(v *Verdict) ([]byte, error) {
	s := junitSuite{
		Name: v.Scenario.Name + " (" + v.Lab + ")", Time: fmt.Sprintf("%.3f", v.WallSeconds), Stamp: v.Started,
	}
	for _, e := range v.Expectations {
		s.add(v, "expectation", e.Name, e.Outcome, e.Message)
	}
	for _, i := range v.Invariants {
		m := i.Message
		if len(i.Violations) > 0 {
			m = fmt.Sprintf("%d violations; the first at %d ns: %s", i.Total, i.Violations[0].At, i.Violations[0].What)
		}
		s.add(v, "invariant", i.Name, i.Outcome, m)
	}
	for _, f := range v.Faults {
		o := expect.Pass
		if f.Confirmation != "confirmed" && !f.Optional {
			o = expect.Inconclusive
		}
		s.add(v, "fault", f.Name, o, f.Kind+" is "+f.Confirmation)
	}
	final := v.Outcome
	if final == "" {
		final = expect.Error
	}
	s.add(v, "run", "outcome", final, v.Reason)
	b, err := xml.MarshalIndent(junitSuites{
		Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Skipped: s.Skipped, Suites: []junitSuite{s},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("junit: %w", err)
	}
	return append([]byte(xml.Header), append(b, '\n')...), nil
}

func (s *junitSuite) add(v *Verdict, class, name string, o expect.Outcome, message string) {
	c := junitCase{Name: name, Class: v.Scenario.Name + "." + v.Lab + "." + class, Time: "0"}
	m := &junitMessage{Message: message, Text: string(o) + ": " + message}
	s.Tests++
	switch o {
	case expect.Pass:
	case expect.Fail:
		c.Failure = m
		s.Failures++
	case expect.Unsupported:
		c.Skipped = m
		s.Skipped++
	default:
		c.Error = m
		s.Errors++
	}
	s.Cases = append(s.Cases, c)
}
