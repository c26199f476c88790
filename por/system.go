package por

import "hbcheck.dev/hbcheck/trace"

// Mark is a state of the current execution to which System.Rewind can return. Marks are used
// strictly last-in first-out.
type Mark int

// Hash is a 128-bit fingerprint of a state. Two states with equal hashes have
// equal futures, up to the renaming of objects and goroutines (the chance of a
// collision among 2^40 states is below 2^-47).
type Hash [2]uint64

// System is the program under test as an explorer sees it: every goroutine is about to execute its pending
// operation, the next visible one.
type System interface {
	// Enabled appends the goroutines whose pending operation can be executed in the current state, in
	// spawn-path order. It appends nothing if the execution has ended.
	Enabled(buf []trace.GID) []trace.GID

	// Next returns g's pending operation, an operation of kind trace.None if g has ended.
	Next(g trace.GID) trace.Op

	// Alternatives returns how many alternatives g's pending operation has (at least 1).
	Alternatives(g trace.GID) int

	// Step executes g's pending operation with the given alternative, and then everything local
	// up to the next visible operation.
	Step(g trace.GID, choice int)

	// Mark marks the current state. Rewind returns to a marked state and keeps the mark; Release
	// drops the mark and keeps the current state.
	Mark() Mark
	Rewind(Mark)
	Release(Mark)

	// Hash returns a fingerprint of the current state.
	Hash() Hash

	// Status reports whether the execution continues, and how it has ended otherwise.
	Status() Status
}

// Status is the condition of a System in its current state.
type Status uint8

const (
	// Running: some goroutine is enabled.
	Running Status = iota
	// Ended: every goroutine has ended, or the program exited or crashed.
	Ended
	// Stuck: no goroutine is enabled and at least one has not ended.
	Stuck
	// Cut: the execution was abandoned (an unsupported operation, Assume(false), a per-execution
	// bound).
	Cut
	// Redundant: no goroutine is enabled, because one waits in an iteration of a loop that would have
	// no effect. Executions without this iteration cover the continuations.
	Redundant
)

// String returns the name of the status in lower case.
func (s Status) String() string {
	return [...]string{"running", "ended", "stuck", "cut", "redundant"}[s]
}

// Mix is the finaliser of splitmix64.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
