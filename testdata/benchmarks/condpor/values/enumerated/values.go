// Package values has the inputs of the programs of this suite as they are without symbolic values:
// each is one of 0, 1 and 2, or of its range, and each value has an execution.
package values

import "hbcheck.dev/hbcheck/hbtest"

// Elements returns n elements, none of which is 0. They are never compared with one another.
func Elements(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(hbtest.Choose(3)) + 1
	}
	return list
}

// Int returns a number.
func Int() int { return hbtest.Choose(3) }

// Ints returns n numbers.
func Ints(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = Int()
	}
	return list
}

// Less returns a number that is less than n.
func Less(n int) int {
	x := Int()
	hbtest.Assume(x < n)
	return x
}

// Positive returns a number that is larger than 0.
func Positive() int { return Int() + 1 }

// Below returns one of 0 to n-1.
func Below(n int) int { return hbtest.Choose(n) }

// Keys returns n numbers, of which some may be equal.
func Keys(n int) []int {
	return Ints(n)
}
