package fabric

import "github.com/stellarlab/stellarlab/internal/event"

// Laid is a layer that lies on a direction, with its evidence.
type Laid struct {
	Layer
	Counters

	loss, corrupt uint64 // thresholds of Layer's probabilities
}

// Stack is the layers of one direction, in order of injection. The zero value is an empty one.
type Stack struct {
	laid []*Laid
	down int // layers that say Down
}

// Outcome is what a stack does to one packet. The zero value is: delivered as it is.
type Outcome struct {
	Drop    event.DropCause // 0: not dropped
	Corrupt bool            // delivered with bits flipped
	Hash    uint32          // of the credited layer's draw: which bits flip
	By      *Laid           // the credited layer; nil: none acted
}

// Lay adds a layer on top of the stack.
func (s *Stack) Lay(l Layer) *Laid {
	e := &Laid{Layer: l, loss: Threshold(l.Loss), corrupt: Threshold(l.Corrupt)}
	s.laid = append(s.laid, e)
	if l.Down {
		s.down++
	}
	return e
}

// Remove takes a layer off; what it counted stays readable. It says whether the layer lay there.
func (s *Stack) Remove(e *Laid) bool {
	for i, l := range s.laid {
		if l == e {
			s.laid = append(s.laid[:i:i], s.laid[i+1:]...)
			if l.Down {
				s.down--
			}
			return true
		}
	}
	return false
}

// Standing says that the layer lies in the stack now.
func (s *Stack) Standing(e *Laid) bool {
	for _, l := range s.laid {
		if l == e {
			return true
		}
	}
	return false
}

// Empty says that no layer lies here, so Fold would do nothing.
func (s *Stack) Empty() bool { return len(s.laid) == 0 }

// Down says that some layer takes the carrier away.
func (s *Stack) Down() bool { return s.down > 0 }

// Fold passes one packet through the stack and counts it in every layer (FAULTS law 1): each draws by its own
// key, the first in order of injection that acts is credited, the others that would have acted count it as
// masked. While some layer is down, the packet does not get as far as the others: the first that is down is
// credited, and all others that would have acted are masked.
func (s *Stack) Fold(identity uint64) Outcome {
	var out Outcome
	if by := s.carrier(); by != nil {
		out = Outcome{Drop: event.DropDown, By: by}
	}
	return s.fold(identity, out)
}

// Cut is Fold for a packet that is lost because its link has no carrier. A link has one carrier: if no layer of
// this direction has taken it, one of the other direction, back, has, and is credited.
func (s *Stack) Cut(identity uint64, back *Stack) Outcome {
	by := back.carrier()
	if s.down > 0 || by == nil {
		return s.Fold(identity)
	}
	by.Seen++
	by.Matched++
	return s.fold(identity, Outcome{Drop: event.DropDown, By: by})
}

// carrier returns the first layer that is down, or nil.
func (s *Stack) carrier() *Laid {
	if s.down > 0 {
		for _, l := range s.laid {
			if l.Down {
				return l
			}
		}
	}
	return nil
}

// fold lets every layer draw; out is what has happened to the packet already.
func (s *Stack) fold(identity uint64, out Outcome) Outcome {
	for _, l := range s.laid {
		l.Seen++
		hash := Hash(l.Key, identity)
		cause, corrupt := l.act(hash)
		switch {
		case l == out.By:
			l.Matched++
		case cause == 0 && !corrupt:
		case out.By != nil:
			l.Masked++
		default:
			l.Matched++
			out = Outcome{Drop: cause, Corrupt: corrupt, Hash: uint32(hash), By: l}
		}
	}
	return out
}

// act says what the layer alone does to a packet with this draw; of several things, the first of carrier,
// black hole, loss and corruption, as the namespace lab's program does.
func (l *Laid) act(hash uint64) (drop event.DropCause, corrupt bool) {
	switch {
	case l.Down:
		return event.DropDown, false
	case l.Blackhole:
		return event.DropBlackhole, false
	case hash < l.loss:
		return event.DropLoss, false
	}
	return 0, hash < l.corrupt
}
