package optimal

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Executions that end early (section 6): the operation that ends one is undone, and the search
// continues without its goroutine.
//
//	executed:   p1 p2 │ x            x is a crash: the execution is reported, x is undone,
//	                  F              and its goroutine is dropped
//	then:       p1 p2 │ x  e1 e2 y   x counts as an event, and has a number; y depends on it
//	candidate:        │ e1 y         after which x may not end anything
//
// Every way in which the program can end is reported (claim 13), some of them perhaps twice.

// continueWithout is called when the newest event has ended the execution: the program has crashed or exited,
// or an assumption does not hold. It undoes the event and drops its goroutine. It reports whether the
// execution continues. In two cases the event stays, and the execution does not continue: if other
// alternatives of the operation have not been executed yet; and if the event is in a reversal, because then
// the execution without the event belongs to the frame.
//
// Example: g1: panic("a") beside g2: x = 1; panic("b"). The first execution ends with the panic "a". Then g1
// is dropped, and g2 continues to the panic "b": both endings are reported in one branch of the tree.
func (s *searcher) continueWithout() bool {
	e := len(s.Events) - 1
	if s.frameOf[e] >= 0 && s.frames[s.frameOf[e]].outer >= 0 {
		// Goroutines that wait here would have to be considered after a longer prefix (rule R3).
		s.Unsupported, s.Halted = true, true
		return false
	}
	if s.inReversal[e] {
		return false
	}
	if s.frameOf[e] < 0 {
		s.openFrameBefore(e)
	}
	f := &s.frames[s.frameOf[e]]
	//mutant: executions of alternatives that end are all there are [toySystems]: "< f.numAlternatives" -> "> 0"
	if f.endedAlternatives++; f.endedAlternatives < f.numAlternatives {
		return false
	}
	s.restore(f)
	s.drop(s.Events[e].G)
	return true
}

// continueWithoutHead is called when event y, of goroutine q, has ended the execution; y is the head of a
// candidate for g's operation. y ends the execution only if y comes before g's operation, so only in this
// case y depends on output. The search continues without q and g.
//
// y has no frame, because it was executed as part of a candidate; it gets one now, so that its order with
// output can be reversed.
func (s *searcher) continueWithoutHead(y int, q, g trace.GID) {
	s.openFrameBefore(y)
	f := &s.frames[len(s.frames)-1]
	f.noReversals, f.dependsOnOutput, f.endedAlternatives = false, true, 1
	s.dropped = append(s.dropped, g)
	s.drop(q)
	s.runToEnd(trace.NoGID, -1)
}

// cut ends an execution at the bound on steps, and drops the enabled goroutine that
// has moved most. The others continue without it, with the bound again, because a goroutine that waits
// for them in a loop would otherwise hide their events:
//
//	executed:   (load x  n++)*  cut    drops the goroutine that loops while x is 0
//	then:       x = 1                  is in a race with each load: the loop ends in the reversals
//
// The following steps are steps of the system in which the goroutine is never chosen again.
// So every reversal that is found can be executed.
//
// It is dropped without being retired: it still has its pending operation, and others may race
// with that.
func (s *searcher) cut() {
	if s.EndTruncated(s.Path); !s.Halted {
		s.dropped = append(s.dropped, s.Busiest(s.enabled()))
	}
}

// drop drops g, whose operation has ended the execution and has been undone. It still is the
// goroutine that moved last: its operation counts as an event.
func (s *searcher) drop(g trace.GID) {
	s.dropped, s.Cur = append(s.dropped, g), g
	s.Retire(g)
}

// isDropped reports whether g has been dropped.
func (s *searcher) isDropped(g trace.GID) bool { return slices.Contains(s.dropped, g) }

// openFrameBefore opens a frame for event e, the newest one, which has none.
func (s *searcher) openFrameBefore(e int) {
	s.replayTo(e)
	f := s.pushFrame()
	f.at, f.depth, f.g, f.newestHead = s.Checkpoint(), e, s.Events[e].G, -1
	f.numAlternatives, f.nextAlternative = 1, 1
	f.noReversals, f.numDropped = true, len(s.dropped)
	s.frameOf[e] = int32(len(s.frames) - 1)
}

// endExecution reports an execution that has ended (line 19).
func (s *searcher) endExecution(st por.Status) {
	s.Leaf(st)
	if !s.duplicates.Leaf(s.Execution, st, s.Stats.Done(), s.Path) {
		s.Halted = true
	}
}
