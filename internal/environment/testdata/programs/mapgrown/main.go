// assumed: nothing
package main

import "fmt"

// What is inserted need not be visited, though the map has been rebuilt.
func main() {
	m := map[int]int{1: 1, 2: 2, 3: 3}
	n := 0
	for k := range m {
		if n++; n == 1 {
			delete(m, k%3+1)
			for i := range 5 {
				m[10+i] = i
				delete(m, 10+i)
			}
			m[4] = 4
		}
	}
	fmt.Print(n)
	if n == 2 {
		panic("what is inserted is not visited")
	}
}
