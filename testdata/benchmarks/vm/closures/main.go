// Closures, generic functions and iterators.
package main

import (
	"iter"
	"slices"
)

func filter[T any](seq iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for x := range seq {
			if keep(x) && !yield(x) {
				return
			}
		}
	}
}

func reduce[T, A any](seq iter.Seq[T], a A, f func(A, T) A) A {
	for x := range seq {
		a = f(a, x)
	}
	return a
}

func main() {
	numbers := make([]int, 1000)
	for i := range numbers {
		numbers[i] = i * i
	}
	sum := 0
	for n := range 12_000 {
		seq := filter(slices.Values(numbers), func(x int) bool { return x%7 != n%7 })
		sum += reduce(seq, n, func(a, x int) int { return a + x })
	}
	println(sum)
}
