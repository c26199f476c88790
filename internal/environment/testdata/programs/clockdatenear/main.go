// assumed: the time of day (it is compared with a future date)
package main

import (
	"fmt"
	"time"
)

var end, err = time.Parse(time.DateOnly, "2026-05-01")

func main() {
	n := 0
	if time.Now().UTC().After(end) {
		n++
	}
	fmt.Println(n < 2, err)
}
