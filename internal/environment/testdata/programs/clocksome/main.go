// assumed: the clock (some of its possible readings tried)
package main

import (
	"fmt"
	"time"
)

func main() {
	start := time.Now()
	passed := time.Since(start)
	for _, ms := range []time.Duration{1, 20, 300, 4000, 50000} {
		if passed > ms*time.Millisecond {
			fmt.Println(ms)
		}
	}
}
