// Workers take jobs from a channel and add what they find to a sum under a mutex.
//
//	pool workers jobs
package main

import (
	"os"
	"strconv"
	"sync"
)

func main() {
	workers, _ := strconv.Atoi(os.Args[1])
	jobs, _ := strconv.Atoi(os.Args[2])
	work := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	sum := 0
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range work {
				mu.Lock()
				sum += j
				mu.Unlock()
			}
		}()
	}
	for j := range jobs {
		work <- j + 1
	}
	close(work)
	wg.Wait()
	if sum != jobs*(jobs+1)/2 {
		panic(sum)
	}
}
