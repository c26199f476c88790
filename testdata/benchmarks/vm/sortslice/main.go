// sort.Slice and slices.SortFunc of structs.
package main

import (
	"slices"
	"sort"
)

type item struct {
	key  int
	name string
}

func main() {
	items := make([]item, 250_000)
	fill := func() {
		x := uint32(1)
		for i := range items {
			x = x*1664525 + 1013904223
			items[i] = item{int(x >> 8), "name"}
		}
	}
	fill()
	sort.Slice(items, func(i, j int) bool { return items[i].key < items[j].key })
	a := items[100].key
	fill()
	slices.SortFunc(items, func(a, b item) int { return b.key - a.key })
	println(a, items[100].key)
}
