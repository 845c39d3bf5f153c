package report

import (
	"fmt"
	"math"
	"time"
)

// Rate words a rate in bit/s.
func Rate(r float64) string {
	for _, u := range []struct {
		of   float64
		name string
	}{{1e12, "Tb/s"}, {1e9, "Gb/s"}, {1e6, "Mb/s"}, {1e3, "kb/s"}} {
		if math.Abs(r) >= u.of {
			return fmt.Sprintf("%.3g %s", r/u.of, u.name)
		}
	}
	return fmt.Sprintf("%.3g b/s", r)
}

// Bytes words a number of bytes.
func Bytes(n uint64) string {
	v, i := float64(n), 0
	names := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	for v >= 1024 && i < len(names)-1 {
		v, i = v/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, names[i])
}

// Nanos words a number of nanoseconds; "-" for none.
func Nanos(n *int64) string {
	if n == nil {
		return "-"
	}
	return short(time.Duration(*n))
}

// short prints a duration with at most four digits.
func short(d time.Duration) string {
	for _, unit := range []time.Duration{time.Minute, time.Second, time.Millisecond, time.Microsecond} {
		if d.Abs() >= 10*unit {
			return d.Round(unit / 10).String()
		}
		if d.Abs() >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

// value words a measured value or a limit in the unit of its kind.
func value(v *float64, unit string) string {
	switch {
	case v == nil:
		return "-"
	case unit == "ns":
		return short(time.Duration(*v))
	case unit == "bit/s":
		return Rate(*v)
	}
	return fmt.Sprintf("%.4g %s", *v, unit)
}
