package emtt_test

import (
	"testing"
	"time"

	"github.com/stellarlab/stellarlab/emtt"
	"github.com/stellarlab/stellarlab/internal/mem"
	"pgregory.net/rapid"
)

// TestAgreesWithMap compares the table with a map of regions: verdict and guest memory of every access are right
// whatever was registered, deregistered and fetched before, and no access waits for ever.
func TestAgreesWithMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab, err := emtt.New(emtt.Config{Entries: rapid.IntRange(0, 3).Draw(t, "entries"), Regions: 4})
		if err != nil {
			t.Fatal(err)
		}
		regions := map[mem.Key]emtt.Region{}
		var keys []mem.Key // of all times
		storm := emtt.LevelID(0)
		fetch := func() {
			for m, ok := tab.Miss(); ok; m, ok = tab.Miss() {
				if !tab.Answer(m.Ticket, nil) || tab.Answer(m.Ticket, nil) {
					t.Fatalf("ticket %d is not answered exactly once", m.Ticket)
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"register": func(t *rapid.T) {
				r := emtt.Region{
					PD: mem.PD(rapid.IntRange(1, 2).Draw(t, "pd")), VA: mem.VA(rapid.IntRange(0, 1<<16).Draw(t, "va")),
					GPA: mem.GPA(rapid.IntRange(0, 1<<16).Draw(t, "gpa")), Len: uint64(rapid.IntRange(1, 1<<14).Draw(t, "len")),
					Rights: mem.Access(rapid.IntRange(0, 15).Draw(t, "rights")), Kind: mem.Kind(rapid.IntRange(0, 1).Draw(t, "kind")),
				}
				key, err := tab.Register(r)
				if (err != nil) != (len(regions) == 4) {
					t.Fatalf("%d of 4 regions: %v", len(regions), err)
				}
				if err != nil {
					return
				}
				if _, dup := regions[key]; dup {
					t.Fatalf("key %#x is in use", key)
				}
				regions[key] = r
				keys = append(keys, key)
			},
			"deregister": func(t *rapid.T) {
				if len(keys) == 0 {
					return
				}
				key := rapid.SampledFrom(keys).Draw(t, "key")
				_, live := regions[key]
				if err := tab.Deregister(key); (err == nil) != live {
					t.Fatalf("key %#x, live %v: %v", key, live, err)
				}
				delete(regions, key)
			},
			"storm": func(t *rapid.T) {
				tab.Remove(storm)
				storm = tab.Push(&always{})
			},
			"calm": func(t *rapid.T) { tab.Remove(storm) },
			"lookup": func(t *rapid.T) {
				a := emtt.Access{
					PD: mem.PD(rapid.IntRange(1, 2).Draw(t, "pd")), Key: mem.Key(rapid.Uint32Range(0, 1<<10).Draw(t, "any")),
					VA: mem.VA(rapid.IntRange(0, 1<<17).Draw(t, "va")), Len: rapid.Uint32Range(0, 3<<12).Draw(t, "len"),
					Rights: mem.Access(rapid.IntRange(0, 15).Draw(t, "rights")),
				}
				if len(keys) > 0 {
					a.Key = rapid.SampledFrom(keys).Draw(t, "key")
				}
				r, live := regions[a.Key]
				if live && rapid.Bool().Draw(t, "inside") {
					a.PD, a.Rights, a.VA = r.PD, r.Rights, r.VA
					a.Len = min(a.Len, uint32(r.Len))
				}
				want := emtt.Allowed
				switch {
				case !live:
					want = emtt.BadKey
				case r.PD != a.PD:
					want = emtt.WrongDomain
				case a.Rights|r.Rights != r.Rights:
					want = emtt.NoRights
				case a.Len > 0 && (a.VA < r.VA || uint64(a.VA)+uint64(a.Len) > uint64(r.VA)+r.Len):
					want = emtt.OutOfBounds
				}
				if v := tab.Check(&a); v != want {
					t.Fatalf("%+v on %+v: %v, want %v", a, r, v, want)
				}
				tr := tab.Lookup(&a)
				for i := 0; tr.Ticket != 0; i++ {
					if i > 4 {
						t.Fatalf("%+v waits for ever", a)
					}
					fetch()
					tr = tab.Lookup(&a)
				}
				if tr.Verdict != want {
					t.Fatalf("%+v: %v, want %v", a, tr.Verdict, want)
				}
				if span := (mem.Span{Start: r.GPA + mem.GPA(a.VA-r.VA), Len: uint64(a.Len)}); want == emtt.Allowed && a.Len > 0 && (tr.Span != span || tr.Kind != r.Kind) {
					t.Fatalf("%+v: %v %v, want %v %v", a, tr.Kind, tr.Span, r.Kind, span)
				}
			},
			"": func(t *rapid.T) {
				if tab.Regions() != len(regions) {
					t.Fatalf("%d regions, want %d", tab.Regions(), len(regions))
				}
			},
		})
	})
}

// TestRegionIsRefused: every field that is wrong is refused, and nothing is registered.
func TestRegionIsRefused(t *testing.T) {
	tab, err := emtt.New(emtt.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []emtt.Region{{}, {PD: 1}, {Len: 1}, {PD: 1, Len: 2, VA: 1<<64 - 1}, {PD: 1, Len: 2, GPA: 1<<64 - 1}, {PD: 1, Len: 1, Page: 5000}, {PD: 1, Len: 1, Page: 2 << 30}} {
		if key, err := tab.Register(r); err == nil {
			t.Errorf("%+v gets key %#x", r, key)
		}
	}
	if n := tab.Regions(); n != 0 {
		t.Errorf("%d regions", n)
	}
	for _, c := range []emtt.Config{{Entries: -1}, {Cost: -1}, {Regions: -1}, {Regions: 1<<24 + 1}} {
		if _, err := emtt.New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// TestB20TableLimit: region L+1 is refused, the L others stay good, and one that goes makes room for one more.
func TestB20TableLimit(t *testing.T) {
	const limit = 1000
	tab, err := emtt.New(emtt.Config{Regions: limit})
	if err != nil {
		t.Fatal(err)
	}
	var keys []mem.Key
	for i := range limit {
		key, err := tab.Register(emtt.Region{PD: 1, VA: mem.VA(i) << 21, GPA: mem.GPA(i) << 21, Len: 2 << 20})
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	if _, err := tab.Register(emtt.Region{PD: 1, Len: 1}); err == nil {
		t.Fatal("one more than the limit is accepted")
	}
	for i, key := range keys {
		if tr := tab.Lookup(&emtt.Access{PD: 1, Key: key, VA: mem.VA(i) << 21, Len: 4096}); tr.Verdict != emtt.Allowed || tr.Span.Start != mem.GPA(i)<<21 {
			t.Fatalf("region %d: %+v", i, tr)
		}
	}
	if err := tab.Deregister(keys[7]); err != nil {
		t.Fatal(err)
	}
	if key, err := tab.Register(emtt.Region{PD: 1, Len: 1}); err != nil || key == keys[7] {
		t.Fatalf("key %#x, %v", key, err)
	}
}

// TestMemoryTypeIsOfTheEntry: Stellar §6, an entry has a key, a memory type, an address and a size; the type
// decides the route.
func TestMemoryTypeIsOfTheEntry(t *testing.T) {
	tab, _ := emtt.New(emtt.Config{})
	for _, kind := range []mem.Kind{mem.Host, mem.GPU} {
		key, err := tab.Register(emtt.Region{PD: 1, Len: 4096, Kind: kind})
		if err != nil {
			t.Fatal(err)
		}
		if tr := tab.Lookup(&emtt.Access{PD: 1, Key: key, Len: 1}); tr.Kind != kind {
			t.Errorf("%v memory is translated as %v", kind, tr.Kind)
		}
	}
}

// TestTableHoldsAll: Stellar §6, the translation is in the NIC, whose table holds what an ATC cannot: figure 8's
// working set of 16 connections and 32 MB never misses.
func TestTableHoldsAll(t *testing.T) {
	tab, _ := emtt.New(emtt.Config{})
	for range 16 {
		key, err := tab.Register(emtt.Region{PD: 1, Len: 32 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for at := mem.VA(0); at < 32<<20; at += 4096 {
			if tr := tab.Lookup(&emtt.Access{PD: 1, Key: key, VA: at, Len: 4096}); tr.Ticket != 0 {
				t.Fatalf("key %#x, %#x: a miss", key, at)
			}
		}
	}
}

// TestDomainsAreApart: Stellar §9, a QP reaches only the regions of its own protection domain.
func TestDomainsAreApart(t *testing.T) {
	tab, _ := emtt.New(emtt.Config{})
	key, err := tab.Register(emtt.Region{PD: 1, Len: 4096, Rights: mem.RemoteWrite})
	if err != nil {
		t.Fatal(err)
	}
	for pd, want := range map[mem.PD]emtt.Verdict{0: emtt.WrongDomain, 1: emtt.Allowed, 2: emtt.WrongDomain} {
		if v := tab.Check(&emtt.Access{PD: pd, Key: key, Len: 1, Rights: mem.RemoteWrite}); v != want {
			t.Errorf("domain %d: %v", pd, v)
		}
	}
}

// TestHotPathsAllocateNothing covers a hit, and a miss with its answer and retry.
func TestHotPathsAllocateNothing(t *testing.T) {
	for _, c := range []struct {
		name  string
		storm bool
	}{{"hit", false}, {"miss", true}} {
		tab, _ := emtt.New(emtt.Config{})
		key, err := tab.Register(emtt.Region{PD: 1, Len: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if c.storm {
			tab.Push(&always{})
		}
		a := emtt.Access{PD: 1, Key: key, Len: 4096}
		if n := testing.AllocsPerRun(1000, func() {
			for tr := tab.Lookup(&a); tr.Ticket != 0; tr = tab.Lookup(&a) {
				m, _ := tab.Miss()
				tab.Answer(m.Ticket, nil)
			}
			a.VA = (a.VA + 4096) & (1<<30 - 1)
		}); n != 0 {
			t.Errorf("a %s allocates %v times", c.name, n)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	for _, c := range []struct {
		name    string
		entries int
	}{{"table", 0}, {"cache", 1024}} {
		b.Run(c.name, func(b *testing.B) {
			tab, _ := emtt.New(emtt.Config{Entries: c.entries, Cost: time.Microsecond})
			key, err := tab.Register(emtt.Region{PD: 1, Len: 1 << 30})
			if err != nil {
				b.Fatal(err)
			}
			a := emtt.Access{PD: 1, Key: key, Len: 4096}
			b.ReportAllocs()
			for b.Loop() {
				for tr := tab.Lookup(&a); tr.Ticket != 0; tr = tab.Lookup(&a) {
					m, _ := tab.Miss()
					tab.Answer(m.Ticket, nil)
				}
				a.VA = (a.VA + 4096) & (1<<21 - 1)
			}
		})
	}
}
