// assumed: the time of day (it is compared with a future date)
package main

import (
	"fmt"
	"time"
)

var expires int64 = 1780000000

func main() {
	left := expires - time.Now().Unix()
	n := 0
	if left > 0 {
		n++
	}
	fmt.Println(n < 2)
}
