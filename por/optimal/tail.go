package optimal

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Tails. At the end of most executions goroutines call Done, a last one returns from Wait and reads the
// results. None of these operations can be in a race (hb.Join), so they are executed without events, clocks,
// frames and marks. They are executed without detection of data races, too, if the memory model orders them.
//
//	events:   p1  x  e1  y  z
//	path:     p1  x  e1  y  z  done  done  done  wait  read  exit
//	                           tail
//
// So that most executions have a tail, the rule of line 12 postpones operations that lower a counter
// (Lowers).
//
// Whether the rest of an execution is a tail is known only when it has been executed. A tail fails if a
// goroutine continues after its Done, or the last one executes an operation that is not in tailKinds. Then
// the tail is undone, and its steps are executed like any others. After a failure no tail is tried in states
// in which the waiting goroutine has the same number of events as at the failure. Counts and reports do not
// depend on tails.

// tailKinds are the kinds of operations that a goroutine which is alone may execute in a tail. They
// have one alternative, neither start nor wake a goroutine, and cannot refute the
// relation.
var tailKinds = trace.KindsWhere(func(r *trace.Row) bool {
	return r.On == trace.OnMemory || r.On == trace.OnLock && !r.Shared || r.Ends
}) | 1<<trace.Output | 1<<trace.End

// mayHaveTails reports whether the search can do without notifications of every step and event.
func (s *searcher) mayHaveTails() bool {
	return s.Cfg.Oracle == nil && !s.Cfg.CheckDuplicates && !s.Tracing()
}

// executeTail tries to execute the rest of the execution as a tail, in which g, which is at Done, moves
// first. It reports whether the rest was a tail; if so, it has also reported the end of the execution.
func (s *searcher) executeTail(g trace.GID) bool {
	j := &s.scratch.join
	if !s.tails || len(s.dropped) > 0 || !s.FindJoin(j) {
		return false
	}
	failed := &s.noTail[uint8(s.Count[j.Waiter])]
	if *failed {
		return false
	}
	before := s.Stats
	if s.repeater != nil {
		s.repeater.Try()
	}
	if j.Synchronised {
		s.Follow(false)
	}
	st, ok := s.runTail(g, j)
	s.Follow(true)
	switch {
	case s.Halted:
	case !ok:
		*failed = true
		//mutant: what a tail that fails has counted stays [tails]
		s.Stats = before
		s.replayTo(len(s.Events))
		if s.repeater != nil {
			s.repeater.Untry() // the number of attempts depends on the distribution among workers
		}
		return false
	default:
		s.numTails++
		s.endExecution(st)
	}
	return true
}

// runTail executes a tail: the Dones, g's first, in the order of the rule, the end of Wait, and the rest of
// its goroutine. It returns the end of the execution, and whether it was a tail.
func (s *searcher) runTail(g trace.GID, j *hb.Join) (st por.Status, ok bool) {
	if !s.finish(g) {
		return 0, false
	}
	for _, q := range j.Dones {
		if q != g && !s.finish(q) {
			return 0, false
		}
	}
	for first := true; ; first = false {
		switch x := s.Next(j.Waiter); {
		case x.Alternatives == 0:
			st = s.Sys.Status()
			return st, st == por.Ended || st == por.Stuck
		//mutant: a tail goes on whatever its last goroutine does [tails]: "!first && !inTail(x)" -> "first && false"
		case !first && !inTail(x), !s.advance(j.Waiter):
			return 0, false
		}
	}
}

// finish executes g's Done. It reports whether g has ended with this step or the next one.
func (s *searcher) finish(g trace.GID) bool {
	if !s.advance(g) {
		return false
	}
	x := s.Next(g)
	if x.Kind == trace.End && x.N == 0 && x.Alternatives == 1 && !s.advance(g) {
		return false
	}
	//mutant: a tail goes on though a goroutine continues after its Done [tails]: true
	return s.Next(g).Kind == trace.None
}

// inTail reports whether a goroutine that is alone may execute x in a tail.
func inTail(x *hb.NextOp) bool {
	return tailKinds.Has(x.Kind) && x.Commutes == 0 && x.Awaits == trace.NoAwait
}

// advance executes a step of a tail. It reports whether the tail continues.
func (s *searcher) advance(g trace.GID) bool {
	n := len(s.Path) + 1
	if s.AtMaxSteps(n) {
		return false
	}
	alone := s.Advance(g)
	s.Path = append(s.Path, trace.Step{G: g})
	s.Cur = g
	s.Stats.MaxDepth = max(s.Stats.MaxDepth, n)
	if s.Executed() && s.PollDue() {
		s.Poll(s.Account(), s.Progress())
	}
	return alone && !s.Halted
}
