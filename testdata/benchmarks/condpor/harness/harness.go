// Package harness has what the programs of this suite begin and end with.
package harness

import (
	"os"
	"strconv"
	"sync"
)

// Args returns the two arguments of the program.
func Args() (n, m int) { return number(1), number(2) }

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

// Run starts n goroutines that execute first and m that execute second, and waits for them.
func Run(n int, first func(i int), m int, second func(i int)) {
	var wg sync.WaitGroup
	wg.Add(n + m)
	for i := range n {
		go func() {
			defer wg.Done()
			first(i)
		}()
	}
	for i := range m {
		go func() {
			defer wg.Done()
			second(i)
		}()
	}
	wg.Wait()
}
