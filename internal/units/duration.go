package units

import "time"

// Duration is a length of lab time, written as Go does: "250us", "1.5ms". It is never negative.
type Duration time.Duration

const wantDuration = `a duration with its unit, such as "250us", "10ms" or "1.5s"`

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 || len(b) > 0 && b[len(b)-1] == '0' {
		return &Error{string(b), wantDuration}
	}
	*d = Duration(v)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String prints d as time.Duration does, with us for microseconds.
func (d Duration) String() string {
	s := time.Duration(d).String()
	for i := range len(s) - 2 {
		if s[i:i+2] == "µ" {
			return s[:i] + "u" + s[i+2:]
		}
	}
	return s
}

// Std returns d as a time.Duration.
func (d Duration) Std() time.Duration { return time.Duration(d) }
