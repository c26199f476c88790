// assumed: nothing
package main

import (
	"fmt"
	"time"
)

type stamped struct {
	n int
	t time.Time
}

// Two clock reads have different results, however these are compared.
func main() {
	a, b := time.Now(), time.Now()
	fmt.Print(a == b, " ", stamped{1, a} == stamped{1, b}, " ", any(a) == any(b), " ")
	seen, any := map[time.Time]int{}, map[any]int{}
	for range 2 {
		seen[time.Now()]++
		any[stamped{2, time.Now()}]++
	}
	fmt.Print(len(seen), " ", len(any), " ")
	switch time.Now() {
	case a:
		fmt.Print("same ")
	default:
		fmt.Print("later ")
	}
	for last := time.Now(); time.Now() == last; {
	}
	c := b
	fmt.Println(b == c, len(map[time.Time]int{b: 1, c.Add(0): 2}))
}
