// An actor computes a Fibonacci number by making two others compute those before it, whose results
// come in any order: 2^i executions, where i is the number of actors that add.
//
//	fib n
package main

import (
	"os"
	"strconv"
	"sync"
)

// wg counts the messages that have not been handled.
var wg sync.WaitGroup

type adder struct {
	caller *adder

	mu    sync.Mutex
	count int
	sum   int
}

func (a *adder) fib(n int) {
	if n <= 1 {
		a.reply(n)
		return
	}
	for _, k := range []int{n - 1, n - 2} {
		wg.Go(func() { (&adder{caller: a}).fib(k) })
	}
}

func (a *adder) reply(v int) {
	if c := a.caller; c != nil {
		wg.Go(func() { c.result(v) })
	}
}

func (a *adder) result(v int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	a.sum += v
	if a.count == 2 {
		a.reply(a.sum)
	}
}

func main() {
	n := number(1)
	wg.Go(func() { new(adder).fib(n) })
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
