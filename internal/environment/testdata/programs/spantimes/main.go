// assumed: the clock used as a number (one value tried)
package main

import (
	"fmt"
	"time"
)

func main() {
	start := time.Now()
	fmt.Println(time.Since(start)%2 == 1)
}
