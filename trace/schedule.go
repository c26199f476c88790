package trace

// Step is one decision of a schedule: goroutine G executes its next visible operation and takes
// alternative Choice of it. An alternative is, for example, a ready select case, the waiter that a
// Signal wakes, or a value that Choose returns. Choice is 0 if there is only one.
type Step struct {
	G      GID
	Choice int
}

// Schedule is a complete list of decisions from the initial state.
type Schedule []Step
