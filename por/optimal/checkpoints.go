package optimal

import (
	"slices"
	"sort"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Lazy checkpoints. A mark has a cost: after it the system saves every object before the object's first
// change. And most frames are closed without a second exploration: only the end of Wait depends on a Done,
// and accesses that a lock orders have no other prefix. So the state before an operation has a checkpoint
// only if the search has returned to an operation of the same program point before. To return to a frame
// without a checkpoint, the search rewinds to the youngest checkpoint before the frame, repeats the steps
// from there, and remembers the program point. The exploration does not change.
//
//	marks:      F0                           restore F2: rewind to F0, repeat x0 p1 x1 p2
//	path:       │ x0  p1 │ x1  p2 │ x2 ...
//	frames:     F0       F1       F2

// noMark is the mark of a frame that has no checkpoint.
const noMark por.Mark = -1

// revisitedSites are the program points to which the search has returned. Some may share an entry.
type revisitedSites [256]bool

// at returns the entry of op.
func (r *revisitedSites) at(op *trace.Op) *bool { return &r[uint8(op.PC+op.Func*31)] }

// checkpoint makes the current state, in which op is chosen, a position, with a mark if that pays.
//
// A Watcher has to be notified of every step, and a Repeater repeats steps without notifications: so every
// frame has a mark if the oracle watches. A frame also has a mark if the steps before it cannot be repeated
// exactly, because events and frames name objects by their numbers.
func (s *searcher) checkpoint(op *trace.Op) search.Position {
	//mutant: any steps can be repeated [test ./internal/progen ^TestGarbage$]: "!s.repeater.Repeatable()" -> "false"
	if s.repeater != nil && !s.repeater.Repeatable() {
		s.unstable = true
		return s.Checkpoint()
	}
	if s.repeater != nil && !*s.revisited.at(op) {
		return search.Position{Mark: noMark, Depth: len(s.Path), Cur: s.Cur}
	}
	return s.Checkpoint()
}

// release releases the checkpoint of f, the youngest frame that has one.
func (s *searcher) release(f *frame) {
	if f.at.Mark != noMark {
		s.Sys.Release(f.at.Mark)
	}
}

// restore goes back to the state of f, the youngest frame.
//
// It gives f a mark, because f has at least one unexplored subtree, and usually several.
func (s *searcher) restore(f *frame) {
	if f.at.Mark != noMark {
		s.ReturnTo(&f.at)
		return
	}
	// This event is f's operation: no candidate has been explored yet.
	op := &s.Events[f.depth].Op
	*s.revisited.at(&op.Op) = true
	s.markWayTo(f)
	s.replayTo(f.depth)
	f.at.Mark = s.Sys.Mark()
	if again := s.Sys.Next(f.g); !sameLocations(&again, &op.Op) {
		panic("BUG: the repeated steps lead to another state")
	}
}

// sameLocations reports whether a and b are of one kind and access the same locations.
func sameLocations(a, b *trace.Op) bool {
	same := func(x, y trace.Access) bool { return x.Obj == y.Obj && x.Off == y.Off }
	return a.Kind == b.Kind && slices.EqualFunc(a.Access[:a.N], b.Access[:b.N], same)
}

// farAway is the largest number of steps from the youngest mark to a frame to which markWayTo adds no marks.
const farAway = 16

// markWayTo gives marks to frames before f, each in the middle of the rest of the way from the youngest mark,
// if f is far from it. Without these marks, backtracking along a path of n steps would repeat n²/2 steps; n
// is large if the bound on steps has cut the execution.
func (s *searcher) markWayTo(f *frame) {
	//mutant: the way back has no marks [test ./por/optimal TestWayBack]: "f.depth-from > farAway" -> "false"
	for from, _ := s.youngestMark(); f.depth-from > farAway; {
		middle := from + (f.depth-from)/2
		j := sort.Search(len(s.frames), func(i int) bool { return s.frames[i].depth >= middle })
		if s.frames[j].depth >= f.depth {
			return
		}
		from = s.frames[j].depth
		s.replayTo(from)
		s.frames[j].at.Mark = s.Sys.Mark()
	}
}

// youngestMark returns the youngest checkpoint, and the number of events before it.
func (s *searcher) youngestMark() (n int, at *search.Position) {
	for i := len(s.frames) - 1; i >= 0; i-- {
		if f := &s.frames[i]; f.at.Mark != noMark {
			return f.depth, &f.at
		}
	}
	return 0, &s.root
}

// replayTo goes to the state after the first n events, without seeking reversals again: the events remain
// those of the current execution.
func (s *searcher) replayTo(n int) {
	from, at := s.youngestMark()
	s.ReturnTo(at)
	for i := from; i < n; i++ {
		e := &s.Events[i]
		s.Cur = e.G
		if e.EndsExecution { // the search has undone it
			continue
		}
		if s.repeater != nil {
			s.repeater.Repeat(e.G, e.Choice)
		} else {
			s.Announce(e.G)
			s.Sys.Step(e.G, e.Choice)
		}
		s.Path = append(s.Path, e.Step())
	}
	s.Invalidate()
}
