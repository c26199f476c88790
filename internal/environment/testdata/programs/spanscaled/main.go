// assumed: the clock used as a number (one value tried)
package main

import (
	"fmt"
	"time"
)

type stats struct{ took, rounded time.Duration }

func (s *stats) round() { s.rounded = time.Duration(s.took.Microseconds()/2) * time.Microsecond }

func main() {
	var s stats
	start := time.Now()
	s.took = time.Since(start)
	s.round()
	if int64(s.rounded) == -1 {
		fmt.Println("before it began")
	}
	fmt.Println("ok")
}
