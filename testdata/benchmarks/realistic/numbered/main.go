// Workers with numbers take jobs from a channel, add what they find to a sum under a mutex, and count their jobs
// under their numbers.
//
//	numbered workers jobs
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
	done := map[int]int{}
	sum := 0
	for id := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range work {
				mu.Lock()
				sum += j
				done[id]++
				mu.Unlock()
			}
		}()
	}
	for j := range jobs {
		work <- j + 1
	}
	close(work)
	wg.Wait()
	n := 0
	for _, k := range done {
		n += k
	}
	if sum != jobs*(jobs+1)/2 || n != jobs {
		panic(sum)
	}
}
