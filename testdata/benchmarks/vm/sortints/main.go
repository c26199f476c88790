// The standard library's sort of 300,000 pseudo-random ints.
package main

import "sort"

func main() {
	a := make([]int, 300_000)
	x := uint32(1)
	for i := range a {
		x = x*1664525 + 1013904223
		a[i] = int(x >> 8)
	}
	sort.Ints(a)
	println(sort.IntsAreSorted(a), a[0], a[len(a)-1])
}
