// assumed: the clock as a number (one value of many)
package main

import (
	"fmt"
	"time"
)

func main() {
	start := time.Now()
	seen := map[time.Duration]bool{100: true}
	fmt.Println(seen[time.Since(start)])
}
