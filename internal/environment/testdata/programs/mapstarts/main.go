// assumed: map order (one order from each starting point)
package main

import "fmt"

func main() {
	m := map[int]int{1: 1, 2: 4, 3: 9, 4: 16, 5: 25}
	for k := range m {
		fmt.Print(k)
	}
}
