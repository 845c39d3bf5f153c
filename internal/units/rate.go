package units

import (
	"math"
	"strconv"
	"strings"
)

// Rate is a number of bits per second, written with a decimal unit: "400Gbps".
type Rate uint64

const wantRate = `a rate with its unit, such as "400Gbps", "2.5Gbps" or "100Mbps"`

var rateUnits = []struct {
	name string
	n    uint64
}{{"Tbps", 1e12}, {"Gbps", 1e9}, {"Mbps", 1e6}, {"Kbps", 1e3}, {"bps", 1}}

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Rate) UnmarshalText(b []byte) error {
	t := string(b)
	for _, u := range rateUnits {
		num, ok := strings.CutSuffix(t, u.name)
		if !ok {
			continue
		}
		f, err := strconv.ParseFloat(num, 64)
		if v := math.Round(f * float64(u.n)); err == nil && plain(num) && v < 1<<63 {
			*r = Rate(v)
			return nil
		}
		break
	}
	return &Error{t, wantRate}
}

// MarshalText implements encoding.TextMarshaler.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String prints r in the largest unit that divides it.
func (r Rate) String() string {
	for _, u := range rateUnits {
		if r > 0 && uint64(r)%u.n == 0 {
			return strconv.FormatUint(uint64(r)/u.n, 10) + u.name
		}
	}
	return "0bps"
}
