// assumed: nothing

// Unlock ends the program if it comes before Lock: then what is printed by then makes a difference. After Lock
// it does not.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var mu sync.Mutex
	c := make(chan int, 1)
	go mu.Unlock()
	go func() {
		c <- 1
		c <- 1
		if _, err := fmt.Println("sent"); err != nil {
			panic(err)
		}
	}()
	<-c
	mu.Lock()
}
