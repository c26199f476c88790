package syncs

import (
	"fmt"
	"sync"
)

// WaitTwo: two may wait.
func WaitTwo() {
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() { n = 1 })
	par(func() { wg.Wait(); _ = n }, wg.Wait)
	fmt.Print(n)
}

// WaitNegative: a counter below zero.
func WaitNegative() {
	var wg sync.WaitGroup
	wg.Add(1)
	wg.Done()
	wg.Done()
}

// WaitLate: Add in the goroutine comes perhaps too late.
//
//native:race
func WaitLate() {
	var wg sync.WaitGroup
	n := 0
	c := make(chan int, 1)
	go func() { wg.Add(1); n = 1; wg.Done(); c <- 1 }()
	wg.Wait()
	fmt.Print(n)
	<-c
}

// WaitReuse: one WaitGroup for two rounds.
func WaitReuse() {
	var wg sync.WaitGroup
	s := ""
	for _, x := range []string{"a", "b"} {
		wg.Go(func() { s += x })
		wg.Wait()
	}
	fmt.Print(s)
}

// WaitNever: a counter that stays.
func WaitNever() {
	var wg sync.WaitGroup
	wg.Add(2)
	go wg.Done()
	wg.Wait()
}

// WaitNested: Go inside of Go.
func WaitNested() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	s := ""
	add := func(x string) { mu.Lock(); s += x; mu.Unlock() }
	wg.Go(func() {
		wg.Go(func() { add("b") })
		add("a")
	})
	wg.Wait()
	fmt.Print(s)
}
