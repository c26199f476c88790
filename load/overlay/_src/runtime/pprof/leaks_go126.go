//go:build !go1.27

package pprof

// hbHasLeaks: there is no profile of leaked goroutines.
const hbHasLeaks = false

func hbLeaks() {}
