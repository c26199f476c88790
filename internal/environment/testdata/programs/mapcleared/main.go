// assumed: nothing
package main

import "fmt"

// What is inserted where all has been deleted may be visited, or not.
func main() {
	m := map[int]int{1: 1}
	visited := 0
	for k := range m {
		delete(m, k)
		if k == 1 {
			m[2] = 2
		}
		visited++
	}
	if visited == 2 {
		panic("what is inserted is visited")
	}
	fmt.Print(visited)
}
