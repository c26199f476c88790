package findings

// SetGuardWork sets the bound on the analysis of guards, and returns a function that restores it.
func SetGuardWork(n int) func() {
	old := guardWork
	guardWork = n
	return func() { guardWork = old }
}
