// assumed: nothing
package main

import (
	"fmt"
	"time"
)

// Dates compared with each other, what is computed from the clock, and what is past for long enough.
func main() {
	now := time.Now()
	a := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	b := a.Add(time.Hour)
	fmt.Println(a.Before(b), b.Sub(a) > time.Minute, a.Unix() > 1780000000, a.Format(time.RFC3339) == "", a.Year() > 2026)
	fmt.Println(now.UTC().Before(now.Add(time.Hour).UTC()), time.Since(time.Unix(0, 0)) > time.Hour, now.Unix() > 1580000000)
}
