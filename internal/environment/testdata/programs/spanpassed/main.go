// assumed: the clock as a number (one value of many)
package main

import (
	"fmt"
	"time"
)

func text(args ...any) string { return fmt.Sprint(args...) }

func main() {
	start := time.Now()
	fmt.Println(text("took ", time.Since(start)) == "took 1µs")
}
