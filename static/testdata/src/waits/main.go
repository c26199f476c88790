// May-wait, must-wait, must-join: what is waited for before an access.
package main

import (
	"sync"
	"time"
)

var x, y int

type Q struct {
	mu   sync.Mutex
	c    *sync.Cond
	full bool
}

func wait(q *Q) {
	q.c.Wait() // want fieldaccess:"read field L of sync.Cond" maywait:"wait q.c before write variable of type int in x" mustwait:"write variable of type int in x"
	x = 1
}

// The loop may not be entered: the paper's must-wait does not hold.
func waitLoop(q *Q) {
	q.mu.Lock()
	for !q.full { // want !mustwait:".* in x" maywait:".*wait q.c before write .* in x"
		q.c.Wait()
	}
	x = 1
}

func receive(c chan int) {
	<-c // want mustjoin:"receive c before write .* in x" mustwait:"write .* in x" maywait:"receive c before write .* in x"
	x = 1
}

func ranges(c chan int) {
	for v := range c { // want mustjoin:"receive c before write .* in x" mustjoin:"receive c before write .* in y"
		x = v
	}
	y = 1
}

func send(c chan int) {
	c <- 1 // want mustjoin:"send c before write .* in x"
	x = 1
}

func join(wg *sync.WaitGroup) {
	wg.Wait() // want mustjoin:"join wg before read .* in x" !mustwait:".*"
	print(x)
}

func joinSome(wg *sync.WaitGroup, b bool) {
	print(b) // want !mustjoin:"join wg before .*"
	if b {
		wg.Wait()
	}
	x = 1
}

func once(o *sync.Once) {
	o.Do(func() { y = 1 }) // want mustjoin:"once o before write .* in x" mustjoin:"once o before write .* in y"
	x = 1
}

// A timer's channel is waited for like any other; that it ticks shows elsewhere.
func sleep() {
	<-time.After(1) // want mustjoin:"none" mustwait:"write .* in x"
	x = 1
}

// Through a helper, in the caller's terms.
func helper(q *Q, c chan int) {
	both(c, q) // want mustjoin:"receive c before write .* in x" maywait:".*wait q.c before write .* in x"
	x = 2
}

func both(ch chan int, p *Q) {
	<-ch
	p.c.Wait()
}

func main() {
	q := &Q{}
	q.c = sync.NewCond(&q.mu)
	var wg sync.WaitGroup
	wait(q)
	waitLoop(q)
	receive(nil)
	ranges(nil)
	send(nil)
	join(&wg)
	joinSome(&wg, true)
	once(new(sync.Once))
	sleep()
	helper(q, nil)
}
