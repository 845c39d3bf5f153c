package emtt

import (
	"slices"
	"time"

	"github.com/stellarlab/stellarlab/internal/mem"
)

// Translation is the outcome of a Lookup. Ticket is zero when the translation is there; else it has to be
// waited for, and Lookup called again.
type Translation struct {
	Verdict Verdict
	Ticket  uint64
	Span    mem.Span // guest memory of the access; empty for an access of no bytes
	Kind    mem.Kind
}

// Miss is a translation that left as a request. It is answered through Answer, after Cost.
type Miss struct {
	Ticket uint64
	Key    mem.Key
	VA     mem.VA // first byte of the page
	Cost   time.Duration
}

// Level is one more place where a look-up can miss, laid over the table from outside (Push). It sees every
// look-up of a page that is not exempt because it has just been fetched.
type Level interface {
	// Lookup says whether the page is there, and if not what fetching it costs.
	Lookup(key mem.Key, page uint64) (hit bool, cost time.Duration)
}

// LevelID names a pushed level.
type LevelID uint64

type levelAt struct {
	id LevelID
	Level
}

// Push lays a level over the table. Every level is asked for every look-up; the costs of those that miss add.
func (t *Table) Push(l Level) LevelID {
	t.next++
	id := LevelID(t.next)
	t.levels = append(t.levels, levelAt{id, l})
	return id
}

// Remove takes a level off; one that is gone is no error.
func (t *Table) Remove(id LevelID) {
	t.levels = slices.DeleteFunc(t.levels, func(l levelAt) bool { return l.id == id })
	if len(t.levels) == 0 && t.cache.Limit == 0 {
		clear(t.granted) // nothing can miss any more
	}
}

// Standing says that the level lies over the table.
func (t *Table) Standing(id LevelID) bool {
	return slices.ContainsFunc(t.levels, func(l levelAt) bool { return l.id == id })
}

// Lookup checks and translates a. A page that misses leaves as a Miss, one per page however many wait for it.
func (t *Table) Lookup(a *Access) Translation {
	e, v := t.check(a)
	if v != Allowed || a.Len == 0 {
		return Translation{Verdict: v}
	}
	off := uint64(a.VA - e.VA)
	if len(t.levels) > 0 || t.cache.Limit > 0 {
		first, last := off>>e.shift, (off+uint64(a.Len)-1)>>e.shift
		if ticket := t.pages(e, a.Key, first, last); ticket != 0 {
			return Translation{Ticket: ticket}
		}
	}
	return Translation{Span: mem.Span{Start: e.GPA + mem.GPA(off), Len: uint64(a.Len)}, Kind: e.Kind}
}

// pages looks the pages first to last up; it returns a ticket to wait for, or 0. Pages that were there are
// granted to the retry when another was not, or an access over several pages might never see all at once.
func (t *Table) pages(e *entry, key mem.Key, first, last uint64) (ticket uint64) {
	for page := first; page <= last; page++ {
		if w := t.page(e, key, page); w != 0 && ticket == 0 {
			ticket = w
		}
	}
	if ticket == 0 && len(t.granted) == 0 {
		return 0
	}
	for page := first; page <= last; page++ {
		k := pageKey{key, page}
		if ticket == 0 {
			delete(t.granted, k)
		} else if _, waits := t.waiting[k]; !waits {
			t.granted[k] = true
		}
	}
	return ticket
}

// page looks one page up; it returns the ticket to wait for, or 0.
func (t *Table) page(e *entry, key mem.Key, page uint64) uint64 {
	k := pageKey{key, page}
	if len(t.waiting) > 0 {
		if ticket, ok := t.waiting[k]; ok {
			return ticket
		}
	}
	if len(t.granted) > 0 && t.granted[k] {
		return 0 // this access has paid: it must succeed however the levels would draw again
	}
	miss, cost := false, time.Duration(0)
	for _, l := range t.levels {
		if hit, c := l.Lookup(key, page); !hit {
			miss, cost = true, cost+c
		}
	}
	if !t.cache.Touch(k) {
		miss, cost = true, cost+t.cfg.Cost
	}
	if !miss {
		return 0
	}
	t.next++
	t.waiting[k] = t.next
	t.tickets[t.next] = k
	t.out = append(t.out, Miss{Ticket: t.next, Key: key, VA: e.VA + mem.VA(page<<e.shift), Cost: cost})
	return t.next
}

// Miss takes the next miss; ok is false when there is none.
func (t *Table) Miss() (m Miss, ok bool) {
	if t.taken == len(t.out) {
		return Miss{}, false
	}
	m = t.out[t.taken]
	t.taken++
	if t.taken == len(t.out) {
		t.out, t.taken = t.out[:0], 0
	}
	return m, true
}

// Answer says that the entry of a ticket has been fetched, or could not be. It returns false for a ticket that
// is not outstanding.
func (t *Table) Answer(ticket uint64, err error) bool {
	k, ok := t.tickets[ticket]
	if !ok {
		return false
	}
	delete(t.tickets, ticket)
	delete(t.waiting, k)
	if err == nil && t.region(k.key) != nil {
		t.cache.Add(k)
		if len(t.levels) > 0 || t.cache.Limit > 0 {
			t.granted[k] = true // where nothing can miss any more, a grant would outlive its use
		}
	}
	return true
}
