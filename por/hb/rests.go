package hb

import "hbcheck.dev/hbcheck/trace"

// Rests: moments at which all goroutines wait.
//
// A timer that is not due yet fires only at a rest, or if little time is missing (the slack of
// vm/step_time.go); the garbage collector acts only at a rest. Both depend on all operations. So without the
// claim below, explorers try them before each operation of each goroutine, after many sets of events of the
// others. In servers whose goroutines wait for timers in loops these are millions of sets, and none of them
// ends at a rest.
//
// Claim. Let P be the state before event x, S a set of events that are independent of x, and y an operation
// with a deadline after x.reach. Then y is not possible after P and S.
//
//  1. x is enabled in P. No event of S disables it, because they are independent. So x's goroutine can move
//     in all states from P to the end of S, and none of these is a rest.
//  2. Without a rest, a moment m comes only if m <= now + slack - debt. If it comes, now and debt grow by the
//     same amount. So the sum is x.reach in all these states.
//  3. y is possible only at its deadline or later, and the deadline is the recorded one or later. So it is
//     not possible by 2.
//
// A goroutine that is held back in a loop can be disabled by an operation that does not conflict with its
// own, because the effect of the whole iteration counts. So Reach returns math.MaxInt64 for such a goroutine.

// rests are the kinds of operations that can have deadlines.
const rests trace.Kinds = 1<<trace.Sleep | 1<<trace.Timer | 1<<trace.SemAcquire

// ComesBefore reports whether e certainly comes before op, a pending operation, because no rest comes before
// e.
func (e *Event) ComesBefore(op *NextOp) bool {
	//mutant: no operation with a deadline comes early [rests]: "op.deadline > e.reach" -> "op.deadline > 0"
	//mutant: no timer fires within the slack [rests]: "op.deadline > e.reach" -> "op.deadline >= e.reach && e.reach > 0"
	return op.deadline > e.reach
}
