package journal_test

import (
	"bytes"
	"errors"
	"iter"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/journal"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/vtime"
	"pgregory.net/rapid"
)

// written is the journal of events, and its digest.
func written(t interface{ Fatal(...any) }, events []event.Event) ([]byte, string) {
	var b bytes.Buffer
	w := journal.NewWriter(&b)
	for i := range events {
		w.Emit(&events[i])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.Digest()
}

func read(s iter.Seq2[event.Event, error]) (out []event.Event, err error) {
	for e, err := range s {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

var anyEvent = rapid.Custom(func(t *rapid.T) event.Event {
	return event.Event{
		At:   vtime.Time(rapid.Int64().Draw(t, "at")),
		Kind: event.Kind(rapid.Uint16().Draw(t, "kind")),
		Node: rapid.Int32().Draw(t, "node"),
		QP:   rapid.Uint32().Draw(t, "qp"),
		A:    rapid.Uint64().Draw(t, "a"), B: rapid.Uint64().Draw(t, "b"),
		C: rapid.Uint64().Draw(t, "c"), D: rapid.Uint64().Draw(t, "d"),
	}
})

func TestWhatIsWrittenReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(anyEvent, 0, 20).Draw(t, "events")
		b, _ := written(t, in)
		out, err := read(journal.Read(bytes.NewReader(b)))
		if err != nil || len(out) != len(in) {
			t.Fatalf("%d events, %v, want %d", len(out), err, len(in))
		}
		for i := range in {
			if in[i] != out[i] {
				t.Fatalf("event %d: %+v reads back as %+v", i, in[i], out[i])
			}
		}
	})
}

// many is more than one block.
func many() []event.Event {
	out := make([]event.Event, 20000)
	for i := range out {
		out[i] = event.Event{At: vtime.Time(i), Kind: event.Sent, Node: int32(i % 7), A: uint64(i), D: 1 << 40}
	}
	return out
}

func TestATornJournalKeepsItsWholeBlocks(t *testing.T) {
	all := many()
	b, _ := written(t, all)
	whole := 0
	for _, cut := range []int{0, 3, 8, 12, 16, 100, len(b) / 2, len(b) - 1} {
		out, err := read(journal.Read(bytes.NewReader(b[:cut])))
		if cut == 8 { // the head alone is a journal without events
			if err != nil || len(out) != 0 {
				t.Errorf("head alone: %d events, %v", len(out), err)
			}
			continue
		}
		if !errors.Is(err, journal.ErrTorn) {
			t.Errorf("cut at %d: %v, want ErrTorn", cut, err)
		}
		for i, e := range out {
			if e != all[i] {
				t.Fatalf("cut at %d: event %d is %+v", cut, i, e)
			}
		}
		whole = max(whole, len(out))
	}
	if whole == 0 {
		t.Error("no cut kept a block")
	}
}

func TestADamagedJournalIsRefused(t *testing.T) {
	b, _ := written(t, many())
	for _, at := range []int{0, 9, 13, 20, len(b) / 2} {
		c := bytes.Clone(b)
		c[at] ^= 0x40
		_, err := read(journal.Read(bytes.NewReader(c)))
		if !errors.Is(err, journal.ErrCorrupt) && !errors.Is(err, journal.ErrFormat) && !errors.Is(err, journal.ErrTorn) {
			t.Errorf("flip at %d: %v", at, err)
		}
	}
}

func TestEqualEventsGiveEqualDigests(t *testing.T) {
	_, a := written(t, many())
	_, b := written(t, many())
	c := many()
	c[777].A++
	_, d := written(t, c)
	if a != b || a == d || len(a) != 64 {
		t.Errorf("digests %s, %s, changed %s", a, b, d)
	}
}

type broken struct{ left int }

func (w *broken) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

func TestTheFirstWriteErrorIsKept(t *testing.T) {
	w := journal.NewWriter(&broken{left: 70 << 10})
	for _, e := range many() {
		w.Emit(&e)
	}
	if err := w.Close(); err == nil {
		t.Error("a full disk is no error")
	}
}

func TestMergeOrdersByTimeThenNode(t *testing.T) {
	var parts [3][]event.Event
	for i := range 300 {
		e := event.Event{At: vtime.Time(i / 4), Node: int32(i % 3), A: uint64(i)}
		parts[i%3] = append(parts[i%3], e)
	}
	var in []iter.Seq2[event.Event, error]
	for _, p := range parts {
		b, _ := written(t, p)
		in = append(in, journal.Read(bytes.NewReader(b)))
	}
	out, err := read(journal.Merge(in...))
	if err != nil || len(out) != 300 {
		t.Fatalf("%d events, %v", len(out), err)
	}
	for i := 1; i < len(out); i++ {
		a, b := out[i-1], out[i]
		if a.At > b.At || a.At == b.At && a.Node > b.Node || a.At == b.At && a.Node == b.Node && a.A > b.A {
			t.Fatalf("%+v before %+v", a, b)
		}
	}
	b, _ := written(t, many())
	if _, err := read(journal.Merge(journal.Read(bytes.NewReader(b)), journal.Read(bytes.NewReader(b[:50])))); !errors.Is(err, journal.ErrTorn) {
		t.Errorf("one torn: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	b, _ := written(f, many()[:50])
	f.Add(b)
	f.Add([]byte("STLJRNL1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := read(journal.Read(bytes.NewReader(b)))
		if err != nil {
			return
		}
		again, _ := written(t, in)
		out, err := read(journal.Read(bytes.NewReader(again)))
		if err != nil || len(out) != len(in) {
			t.Fatalf("%d events, %v, want %d", len(out), err, len(in))
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	w := journal.NewWriter(discard{})
	e := event.Event{Kind: event.Placed, Node: 7, QP: 0x123456, A: 1 << 21, B: 4096, C: 1 << 33}
	b.ReportAllocs()
	for b.Loop() {
		e.At += 300
		e.A += 4096
		w.Emit(&e)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
