// assumed: nothing
package main

import "fmt"

// No order can be noticed: each entry is visited, whatever has been deleted before.
func main() {
	m := map[int]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5}
	for k, v := range m {
		if v != 3 {
			delete(m, k)
		}
	}
	fmt.Print(len(m), m[3])
}
