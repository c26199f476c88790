// assumed: the time of day (it is compared with a future date)
package main

import (
	"fmt"
	"time"
)

// The date is past. Whether it is more than 60 days ago depends on when the program starts.
func main() {
	n := 0
	if time.Since(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))/(24*time.Hour) > 60 {
		n++
	}
	fmt.Println(n < 2)
}
