// Starting a goroutine is an operation of its own in a program that counts goroutines: each form of the
// go statement is pending somewhere.
package main

import (
	"runtime"
	"strings"
)

type adder interface{ add(n int, c chan int) }
type by struct{ k int }

func (b *by) add(n int, c chan int) { c <- n * b.k }
func (b by) sub(n int, c chan int)  { c <- n - b.k }

func give[T any](x T, c chan T) { c <- x }

func start(c chan int, form, n int) {
	k := n + 3
	var a adder = &by{k}
	f := func(n int, c chan int) { c <- n ^ k }
	switch form {
	case 0:
		go give(n*5, c)
	case 1:
		go a.add(n, c)
	case 2:
		go by{k}.sub(n, c)
	case 3:
		go f(n, c)
	case 4:
		go func() { c <- k }()
	case 5:
		go a.(*by).add(n, c)
	}
	if form == 6 {
		close(make(chan int))
		go close(c)
	}
}

func main() {
	c, d := make(chan int, 1), make(chan int, 7)
	go func() {
		d <- runtime.NumGoroutine()
		if b := make([]byte, 5000); strings.Contains(string(b[:runtime.Stack(b, true)]), "absent") {
			d <- 0
		}
	}()
	for form := range 7 {
		start(c, form, form*form)
		println(form, <-c)
	}
	println(<-d)
}
