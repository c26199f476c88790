// assumed: the clock used as a number (one value tried)
package main

import (
	"fmt"
	"time"
)

type request struct{ took time.Duration }

func short(r *request) bool { return len(r.took.String()) < 4 }

func main() {
	start := time.Now()
	r := &request{took: time.Since(start)}
	fmt.Println(short(r))
}
