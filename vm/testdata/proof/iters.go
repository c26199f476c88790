package main

import (
	"iter"
	"maps"
	"slices"
)

type number interface{ ~int | ~float64 }

type list[T any] struct {
	val  T
	next *list[T]
}

func (l *list[T]) all() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := 0; l != nil; i, l = i+1, l.next {
			if !yield(i, l.val) {
				return
			}
		}
	}
}

func sum[T number](s iter.Seq[T]) (t T) {
	for x := range s {
		t += x
	}
	return t
}

func main() {
	var l *list[int]
	for i := range 4 {
		l = &list[int]{i, l}
	}
	c := make(chan int)
	res := make(chan float64)
	go func() {
		next, stop := iter.Pull2(l.all())
		defer stop()
		for {
			i, x, ok := next()
			if !ok || i == 3 {
				close(c)
				return
			}
			c <- x
		}
	}()
	go func() {
		m := map[string]float64{"a": 1, "b": 2}
		keys := slices.Sorted(maps.Keys(m))
		for _, k := range keys {
			defer func() { res <- m[k] }()
		}
		next, stop := iter.Pull(maps.Values(m))
		next()
		stop()
		res <- sum(maps.Values(m))
	}()
	n := 0
	for x := range c {
		n = n*10 + x
	}
	println(n, <-res, <-res, <-res)
}
