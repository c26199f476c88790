// assumed: the clock used as a number (one value tried)
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
