// assumed: nothing
package main

import (
	"fmt"
	"maps"
	"slices"
)

func main() {
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	fmt.Println(slices.Sorted(maps.Keys(m)), slices.Sorted(maps.Values(m)), m)
	for k, v := range maps.All(m) {
		fmt.Print(k, v)
		break
	}
	fmt.Println(slices.Collect(maps.Keys(m)))
}
