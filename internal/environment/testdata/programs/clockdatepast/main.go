// assumed: nothing
package main

import (
	"fmt"
	"time"
)

// What is past is past whenever the program starts, and what is computed is no date.
func main() {
	now := time.Now()
	fmt.Println(now.After(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)), now.Before(now.Add(20*365*24*time.Hour)))
}
