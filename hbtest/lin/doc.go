// Package lin tests that objects are linearizable (Herlihy and Wing 1990): if goroutines use an
// object at the same time, their operations have the results of some sequential order.
//
//	func TestQueue(t *testing.T) {
//		lin.Check(t, lin.Object[*Queue]{
//			New: NewQueue,
//			Ops: []lin.Op[*Queue]{
//				lin.With("Put", func(q *Queue, x int) any { q.Put(x); return nil }, 1, 2),
//				lin.Do("Take", func(q *Queue) any { return lin.Results(q.Take()) }),
//			},
//		})
//	}
//
// Check makes scenarios from the operations: by default all those of two goroutines with at most two
// operations each, up to the order of the goroutines. hbcheck explores every scenario under every schedule.
// The specification is the object itself, used by one goroutine, or another implementation (CheckModel).
// Operations have to return when they are executed alone. Panics, deadlocks and data races are found as in
// any other test.
//
// # What is recorded
//
// A history is the results with the order of operations in real time: A precedes B if A has returned
// before B is called. Each goroutine has a byte that counts the operations that it has completed;
// called reads all bytes at once, returned adds to one, each in one visible operation, which orders
// nothing for the memory model. Let a run be an execution with these operations.
//
//  1. In a run, A = operation n of goroutine g precedes B if and only if the byte of g is at least n
//     (counting from 1) when B is called. So the history is a function of what goroutines read.
//  2. An explorer that loses no class of runs loses no history: two runs of one class have the same
//     events, and each reads the same values, those of called included. The same holds for searches
//     that store states, as what called has read is part of the state.
//  3. Take an execution of the object without called and returned, and any possible order of the
//     intervals of its operations. There is a run with both: called and returned do nothing that the
//     object notices, so they can be executed at any moment between the operations of their goroutine.
//  4. No data race is lost, because called and returned order nothing. None is added, because no
//     access of this package is in a race: its other memory is written before the goroutines start,
//     or by one goroutine alone until all goroutines have been waited for. Therefore these accesses
//     need not be visible, either: hbcheck treats the package as it treats its models of the library.
package lin
