// assumed: nothing
package main

import (
	"fmt"
	"time"
)

// A past date is past whenever the program starts, and a time computed from the clock is not a date.
func main() {
	now := time.Now()
	fmt.Println(now.After(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)), now.Before(now.Add(20*365*24*time.Hour)))
}
