// assumed: the clock as a number (one value of many)
package main

import (
	"fmt"
	"time"
)

func main() {
	start := time.Now()
	fmt.Println(time.Since(start).Round(time.Microsecond).Microseconds() == 1)
}
