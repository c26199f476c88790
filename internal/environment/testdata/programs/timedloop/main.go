// assumed: the clock (a loop until a moment runs at most three rounds before that has come)
package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

var n, rounds atomic.Int64

// What lies behind the loop has two outcomes.
func main() {
	for end := time.Now().Add(time.Millisecond); time.Now().Before(end); {
		rounds.Add(1)
	}
	done := make(chan bool)
	for range 2 {
		go func() { n.Store(n.Load() + 1); done <- true }()
	}
	<-done
	<-done
	fmt.Println(n.Load())
}
