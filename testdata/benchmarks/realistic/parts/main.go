// Pools of two workers and some jobs that share nothing run beside each other, as parallel tests do.
//
//	parts pools jobs
package main

import (
	"os"
	"strconv"
	"sync"
)

func pool(jobs int) int {
	work := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	sum := 0
	for range 2 {
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
	return sum
}

func main() {
	pools, _ := strconv.Atoi(os.Args[1])
	jobs, _ := strconv.Atoi(os.Args[2])
	var wg sync.WaitGroup
	for range pools {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if sum := pool(jobs); sum != jobs*(jobs+1)/2 {
				panic(sum)
			}
		}()
	}
	wg.Wait()
}
