// assumed: nothing
package main

import "fmt"

// The loop need not visit the entry that is inserted, though another one is deleted.
func main() {
	m := map[int]int{1: 1, 2: 2, 3: 3}
	n := 0
	for k := range m {
		if n++; n == 1 {
			delete(m, k%3+1)
			m[4] = 4
		}
		fmt.Print(k)
	}
}
