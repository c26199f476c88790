// n goroutines put four messages each into a hash table of 128 slots. Up to 11 of them never
// meet in a slot: 1 execution; with more there are 8^(n-11). (Flanagan and Godefroid, POPL
// 2005)
//
//	indexer n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

const (
	size = 128
	most = 4 // messages
)

var table [size]atomic.Int64

func insert(id int) {
	for m := 1; m <= most; m++ {
		w := m*11 + id
		h := w * 7 % size
		for !table[h].CompareAndSwap(0, int64(w)) {
			h = (h + 1) % size
		}
	}
}

func main() {
	n := number(1)
	var wg sync.WaitGroup
	wg.Add(n)
	for id := range n {
		go func() {
			defer wg.Done()
			insert(id)
		}()
	}
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
