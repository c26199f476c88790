// Package hbtest has the declarations of hbcheck's package hbtest, so that the programs need no
// other module. The machine has its own versions of the functions.
package hbtest

// Nondet returns an integer or a bool: all values are explored.
func Nondet[T any]() T { return nondet[T]() }

func nondet[T any]() T { panic("outside of hbcheck") }

// Assume ends the execution if cond is false.
func Assume(cond bool) { panic("outside of hbcheck") }

// Choose returns one of 0 to n-1: all of them are explored.
func Choose(n int) int { panic("outside of hbcheck") }
