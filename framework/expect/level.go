package expect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/stellarlab/stellarlab/internal/units"
)

// Level is what goodput must reach: a share of the workload's undisturbed baseline, or a rate. Exactly one of
// the two is above zero.
type Level struct {
	Share float64    // of the baseline
	Rate  units.Rate // bit/s
}

// UnmarshalText reads "80%" or "10Gbps".
func (l *Level) UnmarshalText(b []byte) error {
	text := string(b)
	*l = Level{}
	if strings.HasSuffix(strings.TrimSpace(text), "%") {
		var s units.Share
		if err := s.UnmarshalText(b); err != nil {
			return err
		}
		l.Share = float64(s)
		return nil
	}
	if err := l.Rate.UnmarshalText(b); err != nil {
		return fmt.Errorf("%q is neither a share of the baseline, such as 80%%, nor a rate, such as 10Gbps", text)
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (l Level) MarshalText() ([]byte, error) {
	if l.Share > 0 {
		return units.Share(l.Share).MarshalText()
	}
	return l.Rate.MarshalText()
}

func (l Level) validate() error {
	if (l.Share > 0) == (l.Rate > 0) {
		return errors.New("give a share of the baseline, such as 80%, or a rate, such as 10Gbps")
	}
	return nil
}

// Amount is a share of something counted, or a count.
type Amount struct {
	Value   float64 // in [0,1] for a share
	IsShare bool
}

// UnmarshalText reads "1%" or "20".
func (a *Amount) UnmarshalText(b []byte) error {
	text := strings.TrimSpace(string(b))
	if strings.HasSuffix(text, "%") {
		var s units.Share
		if err := s.UnmarshalText(b); err != nil {
			return err
		}
		*a = Amount{float64(s), true}
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 53)
	if err != nil {
		return fmt.Errorf("%q is neither a share, such as 1%%, nor a count, such as 20", text)
	}
	*a = Amount{Value: float64(n)}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// String prints a as UnmarshalText reads it.
func (a Amount) String() string {
	if a.IsShare {
		return units.Share(a.Value).String()
	}
	return strconv.FormatFloat(a.Value, 'f', -1, 64)
}

// rate words a rate in bit/s.
func rate(r float64) string {
	switch {
	case r >= 1e9:
		return fmt.Sprintf("%.3g Gb/s", r/1e9)
	case r >= 1e6:
		return fmt.Sprintf("%.3g Mb/s", r/1e6)
	}
	return fmt.Sprintf("%.3g b/s", r)
}
