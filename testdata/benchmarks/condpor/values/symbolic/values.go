// Package values has the inputs of the programs of this suite: all values of an integer at once.
package values

import (
	"math"

	"hbcheck.dev/hbcheck/hbtest"
)

// Elements returns n elements, none of which is 0.
func Elements(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = hbtest.Nondet[int64]()
		hbtest.Assume(list[i] != 0)
	}
	return list
}

// Int returns a number.
func Int() int { return hbtest.Nondet[int]() }

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
func Positive() int {
	x := Int()
	hbtest.Assume(x > 0)
	return x
}

// Below returns one of 0 to n-1.
func Below(n int) int {
	x := Int()
	hbtest.Assume(x >= 0)
	hbtest.Assume(x < n)
	return x
}

// Keys returns n numbers that differ from each other, and from the least and the largest one.
func Keys(n int) []int {
	keys := make([]int, n)
	for i := range keys {
		keys[i] = Int()
		hbtest.Assume(keys[i] > math.MinInt)
		hbtest.Assume(keys[i] < math.MaxInt)
		for _, k := range keys[:i] {
			hbtest.Assume(keys[i] != k)
		}
	}
	return keys
}
