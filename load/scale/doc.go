// Package scale finds the numbers in the source of a test that say how big it is: those that bound loops,
// count goroutines, and size what is made. With smaller ones it is another program, the test's small
// version, which can be explored where the test cannot.
//
//	find.go      the loops and sizes of the functions that a test reaches in its own files
//	trace.go     from an expression back to the numbers that it comes from
//	constant.go  numbers that belong together
//	compares.go  whether a failure may be about a number that was not made smaller
//	choice.go    smaller numbers, and the edits that put them in place
//
// Numbers belong together if they are equal literals of one function, or one declaration outside of
// functions. What is computed from them comes out as it is computed. What the author has computed, such as
// the 1000 that 10 goroutines count to in 100 rounds, is known by its value (Relations).
//
// Nothing here says that the small version means anything. Package explore/small finds out whether it is a
// test that passes.
package scale
