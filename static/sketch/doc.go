// Package sketch executes functions on made-up inputs, without an environment, to see whether goroutines
// can block each other.
//
//	sketch.go   runs: one execution of a function, with a random schedule and random inputs
//	value.go    values, and what is made up when one is not known
//	memory.go   objects
//	exec.go     instructions; collections.go those of slices, arrays and maps
//	call.go     calls, goroutines, builtin functions
//	unwind.go   returns, deferred calls, panics
//	pending.go  what goroutines would do next, and whether they can
//	sync.go     locks, wait groups, conditions
//	channel.go  channels, select, timers
//	library.go  what is known of the rest of the standard library
//	clocks.go   which accesses are ordered
//
// An execution is concrete: there is one value for each variable. Inputs and results of the standard
// library are made up when something depends on them; a variable keeps its made-up value. A channel, lock
// or function from outside never blocks forever. So a goroutine that is blocked at the end waits for
// goroutines of this execution only.
//
// Schedules are random, with priorities that change a few times (PCT: Burckhardt et al., ASPLOS 2010). The
// random numbers are the same in each run of the analysis.
package sketch
