package main

import (
	"runtime"
	"sync/atomic"
)

func main() {
	var a, b atomic.Bool
	polite := func(me, other *atomic.Bool) {
		me.Store(true)
		for other.Load() {
			me.Store(false)
			runtime.Gosched()
			me.Store(true)
		}
		me.Store(false)
	}
	done := make(chan bool)
	go func() { polite(&a, &b); done <- true }()
	polite(&b, &a)
	<-done
}
