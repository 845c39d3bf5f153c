package units

import (
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes, written with an IEC unit: "4096B", "64MiB".
type Size uint64

const wantSize = `a size with its unit, such as "4096B", "16KiB", "64MiB" or "1.5GiB"`

var sizeUnits = []struct {
	name string
	n    uint64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(b []byte) error {
	t := string(b)
	for _, u := range sizeUnits {
		num, ok := strings.CutSuffix(t, u.name)
		if !ok {
			continue
		}
		if n, err := strconv.ParseUint(num, 10, 64); err == nil {
			if n > math.MaxUint64/u.n {
				return &Error{t, "a size below 16 EiB"}
			}
			*s = Size(n * u.n)
			return nil
		}
		f, err := strconv.ParseFloat(num, 64)
		if v := f * float64(u.n); err == nil && v >= 0 && v < 1<<63 && v == math.Trunc(v) && plain(num) {
			*s = Size(v)
			return nil
		}
		break
	}
	return &Error{t, wantSize}
}

// MarshalText implements encoding.TextMarshaler.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String prints s in the largest unit that divides it.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if s > 0 && uint64(s)%u.n == 0 {
			return strconv.FormatUint(uint64(s)/u.n, 10) + u.name
		}
	}
	return "0B"
}

// plain says that a number is written with digits and a point alone: no sign, exponent, hexadecimal or infinity.
func plain(num string) bool { return num != "" && strings.Trim(num, "0123456789.") == "" }
