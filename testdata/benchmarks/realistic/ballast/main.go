// Three goroutines increment a counter beside a list that no goroutine uses.
//
//	ballast nodes increments
package main

import (
	"os"
	"strconv"
	"sync"
)

type node struct {
	next  *node
	value int
}

var idle *node

func main() {
	nodes, _ := strconv.Atoi(os.Args[1])
	increments, _ := strconv.Atoi(os.Args[2])
	for i := range nodes {
		idle = &node{idle, i}
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range increments {
				mu.Lock()
				n++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	if n != 3*increments {
		panic(n)
	}
}
