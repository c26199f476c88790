// assumed: map order (one order)
package main

import "fmt"

func main() {
	m := map[int]int{}
	for i := range 40 {
		m[i] = 40 - i
	}
	n := 0
	for k, v := range m {
		if fmt.Sprint(k) == fmt.Sprint(v) {
			n++
		}
	}
	fmt.Println(n)
}
