//go:build go1.27

package pprof

import "syscall"

// hbHasLeaks: there is a profile of leaked goroutines.
const hbHasLeaks = true

// hbLeaks refuses to say how many goroutines the collector finds to be leaked: none would be wrong.
func hbLeaks() { syscall.HbRefuseConstruct("the profile goroutineleak") }
