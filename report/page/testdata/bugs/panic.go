package main

import "sync"

type conf struct{ name string }

func main() {
	var mu sync.RWMutex
	var current *conf
	ready := make(chan bool, 1)
	go func() {
		mu.Lock()
		current = &conf{"x"}
		mu.Unlock()
		ready <- true
	}()
	select {
	case <-ready:
	default:
	}
	mu.RLock()
	defer mu.RUnlock()
	println(current.name)
}
