// Package findings finds bugs of concurrent programs without executing them.
//
//	findings.go    what a finding is, and how all are found
//	checks.go      what a check is, and what finds which; table.go has all of them
//	conditions.go  which branches go together
//	lockflow.go    which locks are held, on each path
//	lockcalls.go   the same through calls: a summary of each function
//	locks.go       locks taken twice, not released, not held
//	order.go       cycles in the order of locks
//	parallel.go    which functions may run at the same time
//	sync.go        misuse of sync, of context and of testing, one operation at a time
//	memory.go      fields and their locks, loops that wait for a variable
//	atomics.go     variables that are accessed with sync/atomic
//	goroutines.go  what goroutines access before they wait for anything
//	races.go       pairs of accesses that nothing orders
//	stuck.go       functions that are executed on made-up inputs (package sketch)
//
// The rule for confidence: high needs facts that certainly hold on the path in question (must-information).
// A finding that depends on two objects that only may be the same is at most medium.
package findings
