// assumed: nothing
package main

import (
	"fmt"
	"log"
	"time"
)

type stats struct{ took, total time.Duration }

func (s *stats) add(d time.Duration) {
	s.took = d
	s.total += d
}

func (s *stats) print() {
	log.Println(s.took, s.total, s.took.Milliseconds(), s.total.String(), s.total/2, s.took.Round(time.Second))
	log.Println(time.Duration(s.total.Microseconds()) * time.Microsecond)
	logf("%v %v", s.took, s.total.Truncate(time.Second))
}

func logf(format string, args ...any) { log.Printf(format, args...) }

type config struct{ timeout, never time.Duration }

func (c *config) seconds() int { return int(c.timeout/time.Second) + int(c.never) }

// What is printed decides nothing, and other durations are known.
func main() {
	var s stats
	start := time.Now()
	s.add(time.Since(start))
	s.add(time.Since(start))
	s.print()
	fmt.Println((&config{2 * time.Second, time.Hour}).seconds() % 2)
}
