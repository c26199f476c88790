// A goroutine draws numbers in deep calls, between operations in shallow ones.
package main

import (
	"crypto/rand"
	"sync"
)

var (
	mu  sync.Mutex
	sum uint64
)

func drawn(depth int) uint64 {
	if depth > 0 {
		x := drawn(depth - 1)
		return x + uint64(depth)
	}
	b := make([]byte, 8)
	rand.Read(b)
	mu.Lock()
	defer mu.Unlock()
	return uint64(b[0]) << 3
}

func work(wg *sync.WaitGroup) {
	defer wg.Done()
	for i := range 4 {
		x := drawn(5 - i)
		mu.Lock()
		sum = x
		mu.Unlock()
	}
}

func main() {
	var wg sync.WaitGroup
	wg.Add(2)
	go work(&wg)
	go work(&wg)
	wg.Wait()
}
