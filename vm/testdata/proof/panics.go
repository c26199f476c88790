package main

import (
	"fmt"
	"runtime"
	"sync"
)

type boom struct{ n int }

func (b boom) Error() string { return fmt.Sprint("boom ", b.n) }

func inner(n int, mu *sync.Mutex, log *[]string) (res int) {
	defer func() {
		mu.Lock()
		*log = append(*log, "inner")
		mu.Unlock()
		if r := recover(); r != nil {
			if b, ok := r.(boom); ok && b.n == 2 {
				res = -b.n
				return
			}
			panic(r)
		}
	}()
	defer mu.Unlock()
	mu.Lock()
	switch n {
	case 0:
		return 5
	case 1:
		var a []int
		return a[n]
	case 2:
		panic(boom{n})
	case 3:
		runtime.Goexit()
	}
	return 1
}

func outer(n int, mu *sync.Mutex, log *[]string, out chan<- string) {
	text := "exit"
	defer func() { out <- text }()
	defer func() {
		if r := recover(); r != nil {
			defer func() {
				text += fmt.Sprint(" and ", recover())
			}()
			text = fmt.Sprint("recovered ", r)
			mu.Lock()
			mu.Unlock()
			panic(boom{7})
		}
	}()
	text = fmt.Sprint("returned ", inner(n, mu, log))
}

func main() {
	var mu sync.Mutex
	var log []string
	out := make(chan string)
	for n := range 4 {
		go outer(n, &mu, &log, out)
	}
	for range 4 {
		println(<-out)
	}
	mu.Lock()
	println(len(log))
	mu.Unlock()
	go func() {
		defer mu.Unlock()
		mu.Lock()
		panic(boom{9})
	}()
	mu.Lock()
	mu.Unlock()
}
