package optimal

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// The pasts of an operation, in Optimal: how they are kept, named, told from others, and put together.

// offer adds a past to frame i, unless another exploration shows it: the events up to event
// end, apart from its operation x, that happened before what has the clock c, and then it.
func (s *optimal) offer(i int32, c []uint32, end int, it item) {
	if i < 0 || s.frames[i].quiet {
		return
	}
	x := s.frames[i].depth
	if of := s.frames[i].of; of >= 0 {
		i = of
	}
	f := &s.frames[i]
	lo := len(f.moves)
	for j := f.depth; j < end; j++ {
		if j == x {
			continue
		}
		if s.Before(j, c) {
			if s.Events[j].EndsExecution { // it cannot happen before anything
				f.moves = f.moves[:lo]
				return
			}
			f.moves = append(f.moves, s.Events[j].Transition)
		} else if s.planned[j] && it.q != trace.NoGID {
			f.moves = f.moves[:lo]
			return
		}
	}
	it.lo, it.hi = lo, len(f.moves)
	it.late = it.q == trace.NoGID && f.met.Kind != trace.None && s.novel(f, x, c, end)
	var key uint64
	if f.dedupe {
		key = s.signature(f, x, c, end, it)
		if _, known := f.seen[key]; known {
			f.moves = f.moves[:lo]
			return
		}
	}
	if !s.add(int(i), it, key) {
		f.moves = f.moves[:lo]
	}
}

// add adds an item to frame i; key is its name if it may be found twice, and else 0. It reports whether the frame keeps it.
func (s *optimal) add(i int, it item, key uint64) bool {
	f := &s.frames[i]
	if i <= s.floor {
		s.worker.offer(i, it, f.moves[it.lo:it.hi], key)
		return false
	}
	if key != 0 {
		if f.seen == nil {
			f.seen = make(map[uint64]struct{})
		}
		f.seen[key] = struct{}{}
		s.keep(f, nameSize)
	}
	if !s.keeps(f) {
		s.due = append(s.due, due{i, it, slices.Clone(f.moves[it.lo:it.hi])})
		return false
	}
	s.keep(f, it.size())
	f.items = append(f.items, it)
	return true
}

// signature names a past, whichever order its events are in here, and puts them into one that does not
// depend on that: an event has a greater clock than those before it.
func (s *optimal) signature(f *past, x int, c []uint32, end int, it item) uint64 {
	var sum uint64
	s.ages = s.ages[:0]
	for j := f.depth; j < end; j++ {
		if j == x || !s.Before(j, c) {
			continue
		}
		ev := &s.Events[j]
		h := por.Mix(uint64(ev.G)<<32|uint64(s.Keys[j].N)) ^ ev.Label
		age := uint64(0)
		clock := s.Clock(j)
		if s.Before(x, clock) {
			clock = s.apart(j, x)
		}
		for g, n := range clock {
			if n > 0 {
				h = por.Mix(h ^ uint64(g)<<32 ^ uint64(n))
				age += uint64(n)
			}
		}
		sum += h
		i := len(s.ages)
		for i > 0 && (s.ages[i-1] > age || s.ages[i-1] == age && s.Precedes(ev.G, f.moves[it.lo+i-1].G)) {
			i--
		}
		s.ages = slices.Insert(s.ages, i, age)
		copy(f.moves[it.lo+i+1:it.lo+len(s.ages)], f.moves[it.lo+i:])
		f.moves[it.lo+i] = ev.Transition
	}
	last := por.Mix(uint64(it.q)<<1 + 1)
	if it.exact {
		last = por.Mix(last ^ it.label)
	}
	return max(1, sum+last)
}

// alternatives lists the ways in which q's next operation may be executed.
func (s *optimal) alternatives(q trace.GID) []hb.Transition {
	s.plan = s.plan[:0]
	for c := range int(s.Next(q).Alternatives) {
		s.plan = append(s.plan, hb.Transition{G: q, Label: s.Label(q, c)})
	}
	return s.plan
}

// depends reports whether f's operation depends on event y, executed in f's state: as it is
// now, behind y.
func (s *optimal) depends(f *past, y int) bool {
	if s.LastEvent(f.g) == y || s.Next(f.g).Terminated() {
		return true
	}
	return s.DependentOp(&s.Events[y], s.Next(f.g), f.printed)
}

// canonical reports whether event y may be the next last event of the past that f's operation has
// so far. The events of a past on which the operation depends directly (its heads) are added in one order:
// of those that can be next by the happens-before relation the one of the goroutine that comes first
// in an order that does not depend on how the search went.
func (s *optimal) canonical(f *past, y int) bool {
	c := s.Clock(y)
	for h := f.head; h >= 0 && !s.Before(int(h), c); h = s.head[h] {
		if s.Precedes(s.Events[y].G, s.Events[h].G) {
			return false
		}
	}
	return true
}
