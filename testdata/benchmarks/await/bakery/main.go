// Lamport's bakery (1974): n goroutines take a number larger than all they see, and wait for those with smaller ones.
//
//	bakery n [broken]
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

type bakery struct {
	choosing []atomic.Bool
	number   []atomic.Int32
}

func (b *bakery) lock(me int, broken bool) {
	b.choosing[me].Store(!broken)
	most := int32(0)
	for j := range b.number {
		most = max(most, b.number[j].Load())
	}
	mine := most + 1
	b.number[me].Store(mine)
	b.choosing[me].Store(false)
	for j := range b.number {
		if j == me {
			continue
		}
		for b.choosing[j].Load() {
		}
		for {
			other := b.number[j].Load()
			if other == 0 || other > mine || other == mine && j > me {
				break
			}
		}
	}
}

func main() {
	n := number(1)
	b := bakery{make([]atomic.Bool, n), make([]atomic.Int32, n)}
	count := 0
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			b.lock(i, len(os.Args) > 2)
			count++
			b.number[i].Store(0)
		}()
	}
	wg.Wait()
	if count != n {
		panic("two were in the critical section")
	}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
