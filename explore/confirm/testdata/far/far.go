// Package far has a function that tests call by paths of several lengths.
package far

// Deep has the place.
func Deep() int { return 1 }

// Middle calls it.
func Middle() int { return Deep() }

// None does not.
func None() int { return 2 }
