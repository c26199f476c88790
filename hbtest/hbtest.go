// Package hbtest has functions for tests that hbcheck runs. It has no dependencies and works without the
// tool: under plain go test every choice takes its first value, so a test with choices is an ordinary test
// of one fixed case.
//
// When hbcheck runs the test, every value of every choice is explored
// together with every schedule. Explore makes go test do that.
//
//	func TestQueue(t *testing.T) {
//		q := NewQueue(1 + hbtest.Choose(3)) // capacities 1, 2 and 3
//		if hbtest.Bool() {
//			q.Close()
//		}
//		...
//	}
package hbtest

// Choose returns a number from 0 to n-1. hbcheck explores all of them; under
// plain go test it is 0. It panics if n < 1.
//
// hbcheck replaces this function.
func Choose(n int) int {
	if n < 1 {
		panic("hbtest.Choose: nothing to choose from")
	}
	return 0
}

// Bool returns false or true. hbcheck explores both; under plain go test it is false.
func Bool() bool { return Choose(2) == 1 }

// Pick returns one of xs. hbcheck explores all of them; under plain go test it is the first. It panics if
// xs is empty.
func Pick[T any](xs ...T) T { return xs[Choose(len(xs))] }

// Assume restricts the test to executions in which cond holds. hbcheck abandons other executions. Under
// plain go test, which cannot try other values, it panics: arrange the choices so that the first value of
// each is a good one.
//
// hbcheck replaces this function.
func Assume(cond bool) {
	if !cond {
		panic("hbtest.Assume: the assumption does not hold for the first value of every choice, which is all that go test tries; run this test with hbcheck")
	}
}

// Running reports whether hbcheck is running the program.
//
// hbcheck replaces this function.
func Running() bool { return false }
