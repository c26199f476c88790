package hb

import "hbcheck.dev/hbcheck/trace"

// Receives from a channel without a buffer. In
//
//	done := make(chan struct{})         n times:  go func() { <-done; ... }()
//	close(done)
//
// each receive needs the close, but they commute with each other: one execution instead of n!. The same
// holds for the last receives of several `for range done`. Receives from a channel with a buffer are compared
// in chanbuf.go.
//
// Claim. Two events of such receives commute if, by the other rules, neither happens before the other, and if
// neither has a partner. Leaving them unordered makes no other pair of events unordered.
//
// Proof. 1. An element comes from a partner. So without a partner, a receive finds the channel
// closed. (Parking is no event here: trace.Receives are receives for which no operation can see
// that a goroutine is parked.) It takes the zero value and changes nothing; neither does the other
// one.
// 2. An event with a partner has the operations of both goroutines, and the partner sends. So each other
// receive from the channel depends on it, as before, and so does the close. So only events after the close
// are no longer ordered with each other.
//
// In package optimal, let x be the receive of a frame. No candidate S of it has a receive that finds the
// channel closed, because S would have the close, on which x depends (rule R4 of docs/research/optimal.md).
//
// Two selects that find different channels closed commute as well: internal/classes compares the
// states of both orders. But whether they commute depends on the state, and package optimal needs a
// relation that does not depend on it. With such selects commuting, optimal lost 24 of 540
// executions of TestSelects, seed 10454. So selects commute only by the rule of onlyreceived.go.
// For the same reason a receive must not become commuting while its goroutine waits: with receives
// from a buffer that is closed meanwhile, optimal lost executions of TestReceivePrograms.

// bothReceive reports whether a and b are two receives by the claim above.
func bothReceive(a, b *NextOp) bool {
	//mutant: a receive commutes with all operations [receives]: drop 2
	return a.Commutes == trace.Receives && b.Commutes == trace.Receives
}
