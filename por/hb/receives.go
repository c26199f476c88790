package hb

import "hbcheck.dev/hbcheck/trace"

// Receives that change no channel. In
//
//	done := make(chan struct{})         n times:  go func() { <-done; ... }()
//	close(done)
//
// each receive needs the close, but they commute with each other: one execution instead of n!. The same holds
// for a select that waits for done, and for the last receive of `for range c`. Such an operation only
// receives, and none of its channels has a buffer (trace.Receives). For receives from a buffer there is
// chanbuf.go.
//
// Claim. Let a and b be two such operations of different goroutines, both pending in state s, and consider
// them without partners. In either order they lead to the same state, and neither changes the alternatives of
// the other.
//
// Proof. 1. An element of a channel without a buffer comes from a partner. So without one, a takes the zero
// value from a closed channel, or its default, or parks. No channel changes; only the goroutine of a does.
// 2. The alternatives of b depend on its channels, and on goroutines that send there: the goroutine of a does
// not. Whether it is parked matters to operations that send and do not wait, and b does not send. A select
// with a default whose partners are waiting at further channels is not among these operations (it is Wide).
// With Config.InTurn, by which the order of arrivals matters, only explorers without a relation are used.
// So from 1 and 2, the claim.
//
// A select on a channel that has a buffer, but is closed and empty, could count as such an operation, too.
// It does not, because package optimal needs operations that are in this class, or not, from their arrival
// on: otherwise it lost executions of generated programs.
//
// An event with a partner has the operations of both goroutines, and the partner sends. So it depends on each
// other receive from the channel, by the partner's operation.

// bothReceive reports whether a and b commute by the claim above.
func bothReceive(a, b *NextOp) bool {
	//mutant: a receive commutes with all operations [receives]: drop 2
	return a.Commutes == trace.Receives && b.Commutes == trace.Receives
}
