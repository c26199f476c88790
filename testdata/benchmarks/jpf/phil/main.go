// Dining philosophers, one lock for each fork. "ordered" philosophers take
// the fork with the lower number first; "cyclic" ones the fork on their left,
// which can deadlock.
//
//	phil N ordered|cyclic rounds
package main

import (
	"os"
	"strconv"
	"sync"
)

type fork struct {
	mu   sync.Mutex
	uses int
}

func dine(first, second *fork, rounds int) {
	for range rounds {
		first.mu.Lock()
		second.mu.Lock()
		first.uses++
		second.uses++
		second.mu.Unlock()
		first.mu.Unlock()
	}
}

func main() {
	n, ordered, rounds := number(1), os.Args[2] == "ordered", number(3)
	forks := make([]*fork, n)
	for i := range forks {
		forks[i] = new(fork)
	}
	var wg sync.WaitGroup
	for i := range n {
		first, second := i, (i+1)%n
		if ordered && second < first {
			first, second = second, first
		}
		f, s := forks[first], forks[second]
		wg.Go(func() { dine(f, s, rounds) })
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
