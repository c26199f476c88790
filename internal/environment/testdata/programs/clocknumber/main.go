// assumed: the clock as a number (one value of many)
package main

import (
	"fmt"
	"time"
)

func mix(x int64) int64 { return x ^ x<<13 }

func main() {
	fmt.Println(mix(time.Now().UnixNano())%2 < 2)
}
