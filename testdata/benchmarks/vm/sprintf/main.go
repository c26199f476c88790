// Formatting: lines of numbers, texts and a struct with fmt.Sprintf.
package main

import "fmt"

type point struct{ X, Y int }

func main() {
	n := 0
	for i := range 150_000 {
		s := fmt.Sprintf("%d %5.2f %s %v %x %q", i, float64(i)/3, "abc", point{i, -i}, i, "q")
		n += len(s)
	}
	println(n)
}
