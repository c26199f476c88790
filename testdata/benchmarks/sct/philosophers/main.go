// Dining philosophers, each of whom takes the left fork first (CS/din_phil of SCTBench).
package main

import (
	"os"
	"strconv"
	"sync"
)

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	forks := make([]sync.Mutex, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			left, right := &forks[i], &forks[(i+1)%n]
			left.Lock()
			right.Lock()
			right.Unlock()
			left.Unlock()
		})
	}
	wg.Wait()
}
