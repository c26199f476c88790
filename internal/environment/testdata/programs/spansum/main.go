// assumed: the clock used as a number (one value tried)
package main

import (
	"fmt"
	"time"
)

type stats struct{ total time.Duration }

func (s *stats) add(d time.Duration) { s.total += d }

func (s *stats) odd() bool { return s.total.Nanoseconds()%2 == 1 }

func main() {
	var s stats
	for range 3 {
		start := time.Now()
		s.add(time.Since(start))
	}
	fmt.Println(s.odd())
}
