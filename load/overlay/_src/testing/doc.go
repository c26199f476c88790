// Package testing is the machine's model of Go's package testing: what tests
// can see of it, without flags, timing, coverage and profiles.
//
// An entry runs one test function, through hbRunTest, on the main goroutine, or
// two that are parallel, on goroutines of their own.
// Subtests run on goroutines of their own and t.Parallel waits for the parent
// function, as in the real package. What is logged goes to the machine, not to
// memory: the order of two log lines makes no difference between states.
//
// The package's own variables are invisible to the explorer. hbTouch makes visible what other
// goroutines can distinguish:
//
//	on          reads                              writes
//	failed      Fail; by others than the owner:    Failed, the end, Run's result if the
//	            Log, Output                        test has not ended
//	skipped     Skip                               Skipped
//	finished    FailNow, SkipNow by others         the end of a function that has not returned
//	registered                                     Cleanup, taking a cleanup to run it
//	named                                          Run
//
// What commutes decides which operations are reads, not what changes: two operations that set the
// same flag commute, as reads do, and an operation that asks for the flag commutes with none of
// them. The owner's own operations are invisible if no code of the program can notice when they
// were executed: see hbAsks.
package testing

// hbG returns the calling goroutine's number plus 1.
func hbG() uint32

// hbRuns records that the calling goroutine executes the test of that name.
func hbRuns(name string)

// hbRan records that the subtest of that name has ended and was not skipped.
func hbRan(name string)

// hbTouch is a visible access to a part of a test, which the code after it carries out, if other
// goroutines can reach the test. For the goroutine owner it is not an access.
func hbTouch(part *bool, owner uint32, write bool)

// The methods for which hbAsks reports whether they are called.
const (
	asksFailed = 1 << iota
	asksSkipped
	asksCleanup
	asksContext
	asksName
)

// hbAsks reports whether the program mentions the method.
func hbAsks(what uint32) bool

// hbSite returns the innermost program point of the calling goroutine that is
// neither in this package nor in one of the functions helpers, and its
// position as log lines begin.
func hbSite(helpers []uintptr) (site uintptr, pos string)

// hbSelected reports whether the subtest of that name is to be executed.
func hbSelected(name string) bool

// hbCaller returns the function that called this package.
func hbCaller() uintptr

// hbLog appends to the log of the execution.
func hbLog(s string)

// hbFailed notes a failure of the test name: what was reported, at hbSite(helpers).
func hbFailed(helpers []uintptr, text, name string)

// hbTestBegins records that the entry's test is about to run.
func hbTestBegins()

// hbSkipped records that the entry's test is skipped, at hbSite(helpers), and why.
func hbSkipped(helpers []uintptr, text string)

// hbTestDone records how the entry's test ended.
func hbTestDone(failed bool)

// hbLeaves records that after its next operation the calling goroutine executes no more code of the
// program, and ends.
func hbLeaves()

// hbPanicking reports whether the deferred function that asks runs because of
// a panic, not of runtime.Goexit or a normal return.
func hbPanicking() bool

// hbUnsupported ends the execution, because the machine has no model of what the program does.
func hbUnsupported(what string)
