// Package hbtest stands for the one of hbcheck, whose functions the machine has anyway, so that the
// programs need nothing but what is written beside them.
package hbtest

// Nondet returns a value of which all are explored: an integer or a bool.
func Nondet[T any]() T { return nondet[T]() }

func nondet[T any]() T { panic("outside of hbcheck") }

// Assume ends the execution if cond is false.
func Assume(cond bool) { panic("outside of hbcheck") }

// Choose returns one of 0 to n-1, of which all are explored.
func Choose(n int) int { panic("outside of hbcheck") }
