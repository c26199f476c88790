package main

import "hbcheck.dev/hbcheck/hbtest"

func main() {
	c := make(chan int)
	go func() { c <- hbtest.Nondet[int]() }()
	if x := <-c; x*3 == 51 && hbtest.Choose(3) == 2 {
		panic("found")
	}
}
