// Loops over functions, generic ones too, and sorted keys of a map.
package main

import (
	"iter"
	"maps"
	"slices"
)

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func filter[T any](s iter.Seq[T], f func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for x := range s {
			if f(x) && !yield(x) {
				return
			}
		}
	}
}

func main() {
	sum := 0
	for range 20 {
		for x := range filter(count(60000), func(x int) bool { return x%3 == 0 }) {
			sum += x
		}
	}
	m := map[int]int{}
	for x := range count(20000) {
		m[x%5000] += x
	}
	keys := slices.Sorted(maps.Keys(m))
	println(sum, len(keys), m[keys[44]])
}
