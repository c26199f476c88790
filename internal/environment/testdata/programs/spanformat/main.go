// assumed: the clock used as a number (one value tried)
package main

import (
	"fmt"
	"time"
)

func main() {
	start := time.Now()
	fmt.Println(fmt.Sprintf("took %d", time.Since(start)) == "took 1")
}
