// assumed: nothing
package main

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

var n atomic.Int64

// The loop ends by its counter: no time has to pass for that.
func main() {
	start := time.Now()
	for range 100 {
		if n.Add(1); time.Since(start) > time.Hour {
			os.Exit(1)
		}
	}
	fmt.Println(n.Load())
}
