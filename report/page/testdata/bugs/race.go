package main

import (
	"fmt"
	"sync"
)

func main() {
	var mu sync.Mutex
	hits := 0
	done := make(chan bool)
	go func() {
		mu.Lock()
		hits++
		mu.Unlock()
		done <- true
	}()
	hits++
	<-done
	fmt.Println(hits)
}
