// assumed: nothing
package main

import "fmt"

func main() {
	m := map[int]int{1: 1}
	for k := range m {
		if k < 3 {
			m[k+1] = 0
		}
		fmt.Print(k)
	}
}
