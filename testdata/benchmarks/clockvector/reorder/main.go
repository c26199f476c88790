// Reorder: some goroutines set a to 1 and b to -1, and others check that both are set or neither
// is. Between the two writes only a is set.
//
// Shared: a and b.
//
//	reorder setters checkers
package main

import (
	"os"
	"strconv"
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

// start is Java's Thread.start: what it returns is closed when the goroutine has ended,
// which is what Thread.join waits for.
func start(run func()) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run()
	}()
	return ended
}

func main() {
	setters, checkers := number(1), number(2)
	p := new(pair)
	var threads []<-chan struct{}
	for range setters {
		threads = append(threads, start(p.set))
	}
	for range checkers {
		threads = append(threads, start(p.check))
	}
	for _, t := range threads {
		<-t
	}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
