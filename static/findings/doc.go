// Package findings finds bugs of concurrent programs without executing them.
//
//	findings.go    findings, and the run of all checks
//	checks.go      checks, and the functions that run them; table.go has all checks
//	conditions.go  branches on the same condition
//	lockstate.go   the locks that are held at the end of a path, and its conditions
//	lockflow.go    the locks held on each path
//	lockcalls.go   the same through calls: a summary of each function
//	locks.go       locks taken twice, not released, not held
//	order.go       cycles in the order of locks
//	parallel.go    functions that may run at the same time
//	sync.go        misuse of sync, of context and of testing, one operation at a time
//	memory.go      fields and their locks
//	spin.go        loops that wait for a variable
//	atomics.go     variables that are accessed with sync/atomic
//	goroutines.go  accesses of goroutines before they wait
//	settled.go     variables that no longer change
//	races.go       pairs of accesses that nothing orders
//	stuck.go       functions that are executed on made-up inputs (package sketch)
//	driver.go      programs that may show a finding, from objects (driverobjects.go), other values
//	               (drivervalues.go), and types that implement interfaces (driverstubs.go)
//
// The rule for confidence: high needs facts that certainly hold on the path in question (must-information).
// Confidence is at most medium if the finding needs two objects to be the same, and they may be different.
package findings
