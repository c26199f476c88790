package hb

import "hbcheck.dev/hbcheck/trace"

// Operations that look at all other goroutines: dumps of all stacks, collections. They depend on all others
// and can be enabled beside them, which not every explorer can handle (por.Global.Overtakes). A program may
// have them in code of a library that no execution reaches: most programs with many packages do. So with
// Relation.NoneLooks such an explorer assumes that the program reaches no such operation.
//
// Claim. Suppose that the search does not notice that a goroutine comes to such an operation. Then it is
// complete.
//
// Proof. Let S be the program, and T the one in which each goroutine stops for good before it looks.
//
//  1. No operation that looks is executed in T. Only one other kind of step depends on all others in T, the
//     passing of time, and it is enabled only if no goroutine is (por.Global.MayLook). So the search of T is
//     complete.
//  2. In the explored executions of S no goroutine comes to an operation that looks. So the states
//     of S and T in them have the same operations, and the search of T would have been the same.
//  3. Suppose that in an execution of S a goroutine comes to an operation that looks. In the shortest
//     such execution only the last event brings it there, so this is also an execution of T. By 1 and 2
//     the search has explored an equivalent execution, or a longer one. There Next has returned
//     the operation to which the goroutine came (a goroutine that has come to an operation is there
//     at the end of the execution, or has executed it). This contradicts the assumption.

// looks reports whether an operation of kind k that depends on all others does so because it looks
// at all other goroutines.
func looks(k trace.Kind) bool { return k == trace.Inspect || k == trace.SemAcquire }

// noteLooks notes that a goroutine has come to n.
func (x *Execution) noteLooks(n *NextOp) {
	if x.rel.NoneLooks && n.DependsOnAll && looks(n.Kind) {
		//mutant: who looks at all others is overlooked [inspecting]: remove
		x.refute(NoneLooks)
	}
}
