package journal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stellarlab/stellarlab/datapath/journal"
)

func TestATornJournalTellsHowMuchIsWhole(t *testing.T) {
	b, _ := written(t, many())
	out, err := read(journal.Read(bytes.NewReader(b[:len(b)-1])))
	var torn *journal.TornError
	if !errors.As(err, &torn) || !errors.Is(err, journal.ErrTorn) {
		t.Fatalf("%v, want a TornError", err)
	}
	if len(out) == 0 || uint64(len(out)) != torn.Events {
		t.Errorf("%d events, the error counts %d", len(out), torn.Events)
	}
}

func TestANewerVersionIsNamed(t *testing.T) {
	b, _ := written(t, nil)
	b[7] = '2'
	_, err := read(journal.Read(bytes.NewReader(b)))
	if !errors.Is(err, journal.ErrFormat) || !strings.Contains(err.Error(), `"2"`) || !strings.Contains(err.Error(), `"1"`) {
		t.Errorf("%v, want both versions named", err)
	}
}
