// Future allocations of synchronisation objects.
package main

import "sync"

type S struct {
	mu sync.Mutex
	n  int
}

func makes() *S {
	print(1) // want futurealloc:"allocate main.S" !futurealloc:".*int.*"
	s := &S{}
	n := new(int)
	sink = n
	return s
}

var sink *int

func makesChan() chan int {
	return make(chan int) // want futurealloc:"allocate chan int"
}

func calls() {
	print(1) // want futurealloc:"allocate chan int" futurealloc:"allocate main.S"
	makesChan()
	go makes()
	print(2) // want futurealloc:"none"
}

func cond(l sync.Locker) {
	sync.NewCond(l) // want futurealloc:"allocate sync.Cond"
}

func many() {
	a := make([]S, 2) // want futurealloc:"allocate \[2\]main.S"
	print(len(a))
}

func main() {
	makes()
	calls()
	cond(nil)
	many()
}
