// assumed: the time of day (it is compared with a future date)
package main

import (
	"fmt"
	"time"
)

// The date is past, but not for so long yet.
func main() {
	n := 0
	if time.Since(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))/(24*time.Hour) > 60 {
		n++
	}
	fmt.Println(n < 2)
}
