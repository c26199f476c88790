// CoarseList: a sorted list with one lock, and keys that are known (in the paper they are
// not). n goroutines add a key and m remove one: (n+m)! executions.
//
//	coarselist n m
package main

import (
	"os"
	"strconv"
	"sync"
)

type node struct {
	key  int
	next *node
}

type list struct {
	mu   sync.Mutex
	head *node // the sentinels are -1 and 1000
}

func newList() *list { return &list{head: &node{-1, &node{1000, nil}}} }

// find returns the last node with a key below k, and the one behind it.
func (l *list) find(k int) (pred, curr *node) {
	pred = l.head
	curr = pred.next
	for curr.key < k {
		pred, curr = curr, curr.next
	}
	return pred, curr
}

func (l *list) add(k int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	pred, curr := l.find(k)
	if curr.key == k {
		return false
	}
	pred.next = &node{k, curr}
	return true
}

func (l *list) remove(k int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	pred, curr := l.find(k)
	if curr.key != k {
		return false
	}
	pred.next = curr.next
	return true
}

func main() {
	n, m := number(1), number(2)
	l := newList()
	var wg sync.WaitGroup
	wg.Add(n + m)
	for i := range n {
		go func() {
			defer wg.Done()
			l.add(i)
		}()
	}
	for i := range m {
		go func() {
			defer wg.Done()
			l.remove(i)
		}()
	}
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
