// Package strategy has the decisions of a portfolio that need no search, only its counts and a machine.
// Package explore runs the searches.
//
//	Turns            which search waits for which: none gets far ahead of another
//	Estimate, Work   how much a search has still to do, from a sample of executions
//	Choices          which operations have most of the choices
//
// All of it is deterministic: it depends on work, not on time.
package strategy
