package units_test

import (
	"encoding"
	"errors"
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/internal/units"
	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	duration := func() encoding.TextUnmarshaler { return new(units.Duration) }
	size := func() encoding.TextUnmarshaler { return new(units.Size) }
	rate := func() encoding.TextUnmarshaler { return new(units.Rate) }
	share := func() encoding.TextUnmarshaler { return new(units.Share) }
	probability := func() encoding.TextUnmarshaler { return new(units.Probability) }
	for _, c := range []struct {
		kind func() encoding.TextUnmarshaler
		in   string
		want string // "": refused
	}{
		{duration, "250us", "250us"},
		{duration, "1.5ms", "1.5ms"},
		{duration, "0s", "0s"},
		{duration, "10", ""},
		{duration, "0", ""},
		{duration, "-1ms", ""},
		{duration, "", ""},
		{duration, "999999999h", ""},
		{size, "64MiB", "64MiB"},
		{size, "601750B", "601750B"},
		{size, "1.5KiB", "1536B"},
		{size, "4096B", "4KiB"},
		{size, "0B", "0B"},
		{size, "4096", ""},
		{size, "64MB", ""},
		{size, "-1B", ""},
		{size, "1.5B", ""},
		{size, "1e3B", ""},
		{size, "99999999999TiB", ""},
		{rate, "400Gbps", "400Gbps"},
		{rate, "2.5Gbps", "2500Mbps"},
		{rate, "100", ""},
		{rate, "-1Gbps", ""},
		{rate, "infGbps", ""},
		{rate, "99999999999Tbps", ""},
		{share, "80%", "80%"},
		{share, "99.5%", "99.5%"},
		{share, "0.8", ""},
		{share, "-1%", ""},
		{share, "NaN%", ""},
		{probability, "1e-4", "0.0001"},
		{probability, "0.01%", "0.0001"},
		{probability, "1", "1"},
		{probability, "0", "0"},
		{probability, "1.5", ""},
		{probability, "101%", ""},
		{probability, "-0.1", ""},
		{probability, "nan", ""},
	} {
		v := c.kind()
		err := v.UnmarshalText([]byte(c.in))
		var refused *units.Error
		if c.want == "" {
			if !errors.As(err, &refused) || refused.Want == "" {
				t.Errorf("%T %q: %v, want it refused with what would be right", v, c.in, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%T %q: %v", v, c.in, err)
			continue
		}
		if b, _ := v.(encoding.TextMarshaler).MarshalText(); string(b) != c.want {
			t.Errorf("%T %q prints %q, want %q", v, c.in, b, c.want)
		}
	}
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := units.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "d"))
		s := units.Size(rapid.Uint64().Draw(t, "s"))
		r := units.Rate(rapid.Uint64Range(0, 1e15).Draw(t, "r"))
		sh := units.Share(float64(rapid.IntRange(0, 100000).Draw(t, "sh")) / 1000)
		p := units.Probability(rapid.Float64Range(0, 1).Draw(t, "p"))
		for _, v := range []struct {
			in  encoding.TextMarshaler
			out encoding.TextUnmarshaler
			ok  func() bool
		}{
			{d, &d, nil}, {s, &s, nil}, {r, &r, nil}, {sh, &sh, nil}, {p, &p, nil},
		} {
			b, err := v.in.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			if err := v.out.UnmarshalText(b); err != nil {
				t.Fatal(err)
			}
			again, _ := v.out.(encoding.TextMarshaler).MarshalText()
			if string(again) != string(b) {
				t.Fatalf("%T: %s reads back as %s", v.in, b, again)
			}
		}
	})
}
