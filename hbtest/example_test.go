package hbtest_test

import (
	"fmt"

	"hbcheck.dev/hbcheck/hbtest"
)

// A test of a queue with every capacity from 1 to 3, open and closed. hbcheck explores all
// six cases, each with every schedule; go test, which runs this example, has the first.
func Example() {
	capacity := 1 + hbtest.Choose(3)
	closed := hbtest.Bool()
	queue := make(chan string, capacity)
	if closed {
		close(queue)
	}
	fmt.Println("capacity", cap(queue), "closed", closed, "explored", hbtest.Running())
	// Output: capacity 1 closed false explored false
}

func ExamplePick() {
	for _, word := range []string{hbtest.Pick("first", "second"), hbtest.Pick("one")} {
		fmt.Println(word)
	}
	// Output:
	// first
	// one
}

// The order of two numbers does not matter to the test: half of the cases are enough.
func ExampleAssume() {
	a, b := hbtest.Choose(4), hbtest.Choose(4)
	hbtest.Assume(a <= b)
	fmt.Println(a, b)
	// Output: 0 0
}

// With hbcheck a stands for every int16, and the example is explored up to both results of the
// comparison; go test has the zero value.
func ExampleNondet() {
	a := hbtest.Nondet[int16]()
	hbtest.Assume(a >= 0)
	fmt.Println(a+1 > a)
	// Output: true
}
