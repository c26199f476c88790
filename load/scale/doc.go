// Package scale finds the numbers in the source of a test that determine its size: those that bound loops,
// count goroutines, and size channels and slices. With smaller numbers it is another program, the test's
// small version, which can be explored even if the test cannot.
//
//	find.go      the loops and sizes of the functions that a test reaches in its own files
//	trace.go     from an expression back to the numbers that it comes from
//	constant.go  numbers that belong together
//	compares.go  whether a failure may be about a number that was not made smaller
//	choice.go    smaller numbers, and the edits that put them in place
//
// Numbers belong together if they are equal literals of one function, or one declaration outside of
// functions. Values that the program computes from them change with them. A number that the author has
// computed, such as the 1000 to which 10 goroutines count in 100 rounds, is recognised by its value
// (Relations).
//
// This package does not decide whether the small version is meaningful. Package explore/small finds out
// whether it is a test that passes.
package scale
