package main

import "sync"

func main() {
	stop := make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() { once.Do(func() { close(stop) }) })
	wg.Go(func() {
		select {
		case <-stop:
		default:
			close(stop)
		}
	})
	wg.Wait()
}
