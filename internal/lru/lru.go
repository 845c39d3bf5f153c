// Package lru is a set of bounded size that forgets its least recently used member.
// It holds no values and is not safe for concurrent use: pvdma and emtt keep theirs beside it.
package lru

// Set is the set. The zero Set has no limit: it keeps nothing and contains everything.
type Set[K comparable] struct {
	Limit int // members; 0: unlimited

	place          map[K]int32
	slots          []slot[K]
	newest, oldest int32 // places in slots + 1; 0: none
	free           int32
}

type slot[K comparable] struct {
	key          K
	newer, older int32 // places + 1
}

// Touch says whether k is a member, and makes it the most recently used.
func (s *Set[K]) Touch(k K) bool {
	if s.Limit == 0 {
		return true
	}
	i, ok := s.place[k]
	if ok && s.newest != i {
		s.unlink(i)
		s.pushNewest(i)
	}
	return ok
}

// Add makes k the most recently used member. Where that exceeds the limit, the least recently used leaves and
// is returned.
func (s *Set[K]) Add(k K) (left K, full bool) {
	if s.Limit == 0 || s.Touch(k) {
		return left, false
	}
	if s.place == nil {
		s.place = map[K]int32{}
	}
	if len(s.place) >= s.Limit {
		left, full = s.slots[s.oldest-1].key, true
		s.Drop(left)
	}
	i := s.free
	if i != 0 {
		s.free = s.slots[i-1].older
	} else {
		s.slots = append(s.slots, slot[K]{})
		i = int32(len(s.slots))
	}
	s.slots[i-1].key = k
	s.place[k] = i
	s.pushNewest(i)
	return left, full
}

// Drop removes k; one that is no member is no error.
func (s *Set[K]) Drop(k K) {
	i, ok := s.place[k]
	if !ok {
		return
	}
	s.unlink(i)
	delete(s.place, k)
	var zero K
	s.slots[i-1] = slot[K]{key: zero, older: s.free}
	s.free = i
}

// DropIf removes every member that match holds for.
func (s *Set[K]) DropIf(match func(K) bool) {
	for i := s.newest; i != 0; {
		at := &s.slots[i-1]
		i = at.older
		if match(at.key) {
			s.Drop(at.key)
		}
	}
}

// Len is the number of members.
func (s *Set[K]) Len() int { return len(s.place) }

func (s *Set[K]) unlink(i int32) {
	at := &s.slots[i-1]
	if at.newer != 0 {
		s.slots[at.newer-1].older = at.older
	} else {
		s.newest = at.older
	}
	if at.older != 0 {
		s.slots[at.older-1].newer = at.newer
	} else {
		s.oldest = at.newer
	}
}

func (s *Set[K]) pushNewest(i int32) {
	at := &s.slots[i-1]
	at.newer, at.older = 0, s.newest
	if s.newest != 0 {
		s.slots[s.newest-1].newer = i
	} else {
		s.oldest = i
	}
	s.newest = i
}
