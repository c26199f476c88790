// An actor sorts a list of n numbers by making two others sort its halves, whose
// results come in any order: 2^(n-1) executions.
//
//	msort n
package main

import (
	"os"
	"slices"
	"strconv"
	"sync"
)

// wg counts the messages that have not been handled.
var wg sync.WaitGroup

type sorter struct {
	caller *sorter

	mu   sync.Mutex
	half []int // the result that has come first
}

func (s *sorter) sort(list []int) {
	if len(list) <= 1 {
		s.reply(list)
		return
	}
	m := len(list) / 2
	for _, half := range [][]int{list[:m], list[m:]} {
		wg.Go(func() { (&sorter{caller: s}).sort(half) })
	}
}

func (s *sorter) reply(list []int) {
	if c := s.caller; c != nil {
		wg.Go(func() { c.done(list) })
	}
}

func (s *sorter) done(half []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.half == nil {
		s.half = half
		return
	}
	list := merge(s.half, half)
	s.half = nil
	s.reply(list)
}

func merge(a, b []int) []int {
	list := slices.Concat(a, b)
	slices.Sort(list)
	return list
}

func main() {
	n := number(1)
	list := make([]int, n)
	for i := range list {
		list[i] = 7 * (i + 1) % 17
	}
	wg.Go(func() { new(sorter).sort(list) })
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
