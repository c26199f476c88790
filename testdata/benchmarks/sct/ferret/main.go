// A pipeline counts its items when they enter and when they leave, but the loader counts an item after it has handed
// it on; the last stage may be through with it before that (parsec/ferret of SCTBench).
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	loaded, ranked := make(chan int, n), make(chan int, n)
	var entered, left atomic.Int32
	var loader, workers, output sync.WaitGroup
	loader.Go(func() {
		for i := range n {
			loaded <- i
			entered.Add(1)
		}
		close(loaded)
	})
	for range 2 {
		workers.Go(func() {
			for i := range loaded {
				ranked <- i
			}
		})
	}
	output.Go(func() {
		for range ranked {
			if left.Add(1) == int32(n) && entered.Load() < int32(n) {
				panic("more items have left than entered")
			}
		}
	})
	loader.Wait()
	workers.Wait()
	close(ranked)
	output.Wait()
}
