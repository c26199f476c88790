// Ways of control: deferred calls, panics, locks as values.
package main

import (
	"io"
	"runtime"
	"slices"
	"sync"
)

var mu sync.Mutex

func step() { mu.Lock(); mu.Unlock() }

func ErrgroupLike() {
	sem := make(chan struct{}, 1)
	var wg sync.WaitGroup
	x := 0
	for range 2 {
		wg.Add(1)
		sem <- struct{}{}
		go func() { defer func() { <-sem; wg.Done() }(); x++ }()
	}
	wg.Wait()
	x++
}

func Goexit() {
	x := 0
	go func() { defer func() { x++ }(); runtime.Goexit() }()
	step()
	x = 3
	step()
}

func NestedPanic() {
	x := 0
	go func() {
		defer func() { recover(); x++ }()
		defer func() { panic(2) }()
		panic(1)
	}()
	step()
	x = 3
	step()
}

func RecoverContinue() {
	x := 0
	_ = x
	f := func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = io.EOF
			}
		}()
		panic(1)
	}
	go func() {
		if f() != nil {
			x = 3
		}
	}()
	step()
	x = 2
	step()
}

func NamedResult() {
	x := 0
	f := func() (p *int) { defer func() { recover() }(); p = &x; panic(1) }
	go func() { *f() = 3 }()
	step()
	x = 2
	step()
}

func DeferLoop() {
	xs := [2]int{}
	go func() {
		for i := range xs {
			defer func() { xs[i]++ }()
		}
	}()
	step()
	xs[1] = 2
	step()
}

func GoBuiltin() {
	m := map[int]int{1: 1}
	go delete(m, 1)
	step()
	m[1] = 2
	step()
}

func DeferBuiltin() {
	m := map[int]int{1: 1}
	go func() { defer delete(m, 1) }()
	step()
	m[1] = 2
	step()
}

func GoCopy() {
	s := []int{1, 2}
	go copy(s, []int{3})
	step()
	s[0] = 2
	step()
}

func RangeFuncDefer() {
	x := 0
	go func() {
		for i := range slices.Values([]int{1}) {
			defer func() { x += i }()
		}
	}()
	step()
	x = 2
	step()
}

func Locker() {
	var l sync.Locker = &sync.Mutex{}
	var rw sync.RWMutex
	r := rw.RLocker()
	x := 0
	go func() {
		l.Lock()
		x++
		l.Unlock()
		r.Lock()
		_ = x
		r.Unlock()
	}()
	step()
	l.Lock()
	x = 2
	l.Unlock()
	rw.Lock()
	x = 3
	rw.Unlock()
}

func ForeignUnlock() {
	var l sync.Mutex
	x := 0
	l.Lock()
	go func() { l.Lock(); x++; l.Unlock() }()
	go func() { l.Unlock() }()
	step()
	x = 2
	step()
}

func SemChannel() {
	sem := make(chan int, 1)
	x := 0
	go func() { sem <- 1; x++; <-sem }()
	step()
	sem <- 1
	x = 2
	<-sem
}

func ClosedChannel() {
	c := make(chan int)
	x := 0
	go func() {
		for range c {
			x++
		}
		x++
	}()
	step()
	x = 3
	close(c)
	step()
}

func OnceFuncPanics() {
	x := 0
	f := sync.OnceFunc(func() { x++; panic(1) })
	g := func() { defer func() { recover() }(); f() }
	go g()
	step()
	g()
	x = 3
	step()
}

func main() {}
