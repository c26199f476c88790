// assumed: the clock used as a number (one value tried)
package main

import (
	"fmt"
	"time"
)

type request struct{ took time.Duration }

func odd(r *request) bool { return int64(r.took)%2 == 1 }

func main() {
	start := time.Now()
	r := &request{took: time.Since(start)}
	fmt.Println(odd(r))
}
