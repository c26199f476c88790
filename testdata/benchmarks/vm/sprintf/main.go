// Formatting with package fmt.
package main

import "fmt"

type point struct {
	X, Y int
	Name string
}

func main() {
	n := 0
	for i := range 60_000 {
		n += len(fmt.Sprintf("%d %s %v %5.2f %x|%-8s|%q", i, "name", point{i, -i, "p"}, float64(i)/7, i, "pad", "text"))
	}
	println(n)
}
