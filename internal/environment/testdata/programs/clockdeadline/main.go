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
		t = time.NewTimer(2 * time.Second)
	case <-b:
		<-a
		t = time.NewTimer(time.Second)
	}
	<-t.C
	fmt.Print(time.Since(start) >= 2*time.Second)
}
