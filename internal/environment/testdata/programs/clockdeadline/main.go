// assumed: nothing
package main

import (
	"fmt"
	"time"
)

func main() {
	start := time.Now()
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 1
	var t *time.Timer
	select {
	case <-a:
		<-b
		t = time.NewTimer(400 * time.Millisecond)
	case <-b:
		<-a
		t = time.NewTimer(200 * time.Millisecond)
	}
	<-t.C
	fmt.Print(time.Since(start) >= 400*time.Millisecond)
}
