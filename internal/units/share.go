package units

import (
	"math"
	"strconv"
	"strings"
)

// Share is a part of a whole, written as a percentage: "80%". It may exceed the whole: "110%".
type Share float64

const wantShare = `a share in percent, such as "80%" or "99.5%"`

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Share) UnmarshalText(b []byte) error {
	num, ok := strings.CutSuffix(string(b), "%")
	f, err := strconv.ParseFloat(num, 64)
	if !ok || err != nil || !plain(num) || f > 1e6 {
		return &Error{string(b), wantShare}
	}
	*s = Share(percent(num, f))
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (s Share) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String prints s in percent.
func (s Share) String() string { return asPercent(float64(s)) }

// Probability is a chance in [0, 1], written as a percentage, "0.01%", or as a number, "1e-4".
type Probability float64

const wantProbability = `a probability from 0 to 1, such as "1e-4" or "0.01%"`

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Probability) UnmarshalText(b []byte) error {
	num, pct := strings.CutSuffix(string(b), "%")
	f, err := strconv.ParseFloat(num, 64)
	if pct {
		f = percent(num, f)
	}
	if err != nil || !(f >= 0 && f <= 1) || strings.Trim(num, "0123456789.eE-") != "" {
		return &Error{string(b), wantProbability}
	}
	*p = Probability(f)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (p Probability) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// String prints p as the shortest number that reads back equal.
func (p Probability) String() string { return strconv.FormatFloat(float64(p), 'g', -1, 64) }

// percent divides by a hundred in decimal, so that what is written reads back the same.
func percent(num string, f float64) float64 {
	if v, err := strconv.ParseFloat(num+"e-2", 64); err == nil {
		return v
	}
	return f / 100
}

func asPercent(f float64) string {
	for digits := range 16 {
		t := strconv.FormatFloat(math.Abs(f)*100, 'f', digits, 64)
		if v, err := strconv.ParseFloat(t+"e-2", 64); err == nil && v == f {
			return t + "%"
		}
	}
	return strconv.FormatFloat(f*100, 'f', -1, 64) + "%"
}
