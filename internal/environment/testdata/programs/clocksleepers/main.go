// assumed: nothing
package main

import (
	"fmt"
	"time"
)

func main() {
	start := time.Now()
	done := make(chan string, 2)
	for _, d := range []time.Duration{1, 2} {
		go func() {
			time.Sleep(d * 200 * time.Millisecond)
			done <- fmt.Sprint(d, time.Since(start) >= 400*time.Millisecond, " ")
		}()
	}
	a, b := <-done, <-done
	fmt.Print(max(a, b), min(a, b))
}
