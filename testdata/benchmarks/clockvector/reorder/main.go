// Reorder: some goroutines set a to 1 and b to -1, and others check that both are set or
// none is, which they are not in between.
//
// Shared: a and b.
//
//	reorder setters checkers
package main

import (
	"os"
	"strconv"
	"sync"
)

type pair struct{ a, b int }

func (p *pair) set() {
	p.a = 1
	p.b = -1
}

func (p *pair) check() {
	if !(p.a == 0 && p.b == 0 || p.a == 1 && p.b == -1) {
		panic("bug found")
	}
}

func main() {
	setters, checkers := number(1), number(2)
	p := new(pair)
	var wg sync.WaitGroup
	wg.Add(setters + checkers)
	for range setters {
		go func() {
			defer wg.Done()
			p.set()
		}()
	}
	for range checkers {
		go func() {
			defer wg.Done()
			p.check()
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
