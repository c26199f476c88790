// Package sort with a function that compares.
package main

import "sort"

type rec struct {
	key  uint32
	name string
}

func main() {
	x := uint32(7)
	n := uint32(0)
	for range 10 {
		recs := make([]rec, 10_000)
		for i := range recs {
			x = x*1664525 + 1013904223
			recs[i] = rec{x, "name"}
		}
		sort.Slice(recs, func(i, j int) bool { return recs[i].key < recs[j].key })
		n += recs[17].key
	}
	println(n)
}
