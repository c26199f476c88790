// assumed: the time of day (it is compared with a future date)
package main

import (
	"fmt"
	"time"
)

func main() {
	end := time.Unix(1780000000, 0).Add(time.Hour)
	n := 0
	if time.Now().After(end) {
		n++
	}
	fmt.Println(n < 2)
}
