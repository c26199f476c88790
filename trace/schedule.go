package trace

// Step is one decision of a schedule: goroutine G executes its next visible
// operation and takes alternative Choice of it (which ready select case, which
// waiter a Signal wakes, which value Choose returns; 0 when there is only one).
type Step struct {
	G      GID
	Choice int
}

// Schedule is a complete list of decisions from the initial state.
type Schedule []Step
