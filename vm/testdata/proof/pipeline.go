package main

import (
	"errors"
	"strings"
)

type item struct {
	name string
	n    int
	err  error
	tags []string
}

var errOdd = errors.New("odd")

func source(out chan<- item, stop <-chan struct{}) {
	defer close(out)
	for i := range 4 {
		it := item{name: strings.Repeat("x", i), n: i}
		if i%2 == 1 {
			it.err = errOdd
		}
		select {
		case out <- it:
		case <-stop:
			return
		}
	}
}

func work(in <-chan item, out chan<- item) {
	for it := range in {
		it.tags = append(it.tags, it.name+"!")
		out <- it
	}
}

func main() {
	a, b := make(chan item, 1), make(chan item)
	stop := make(chan struct{})
	go source(a, stop)
	done := make(chan int)
	for range 2 {
		go func() {
			work(a, b)
			done <- 1
		}()
	}
	go func() {
		<-done
		<-done
		close(b)
	}()
	n := 0
	for it := range b {
		if errors.Is(it.err, errOdd) {
			n++
			if n == 2 {
				close(stop)
			}
		}
		println(it.name, it.n, it.tags[0], cap(it.tags))
	}
}
