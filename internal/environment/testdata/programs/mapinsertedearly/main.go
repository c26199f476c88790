// assumed: nothing
package main

import "fmt"

func main() {
	m := map[int]int{1: 1, 2: 2, 3: 3}
	n := 0
	for k := range m {
		m[4] = 4
		if n++; n == 2 && k == 4 {
			panic("what is inserted comes before two others")
		}
		fmt.Print(k)
	}
}
