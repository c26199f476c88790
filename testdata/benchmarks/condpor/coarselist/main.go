// CoarseList: a sorted list with one lock. n goroutines add unknown keys that differ, and m remove
// the first of these.
//
//	coarselist n m
package main

import (
	"math"
	"sync"

	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

type node struct {
	key  int
	next *node
}

type list struct {
	mu   sync.Mutex
	head *node
}

func newList() *list { return &list{head: &node{math.MinInt, &node{math.MaxInt, nil}}} }

// find returns the last node with a key below k, and the one that follows it.
func (l *list) find(k int) (pred, curr *node) {
	pred = l.head
	curr = pred.next
	for curr.key < k {
		pred, curr = curr, curr.next
	}
	return pred, curr
}

func (l *list) add(k int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pred, curr := l.find(k)
	if curr.key != k {
		pred.next = &node{k, curr}
	}
}

func (l *list) remove(k int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pred, curr := l.find(k)
	if curr.key == k {
		pred.next = curr.next
	}
}

func main() {
	n, m := harness.Args()
	keys := values.Keys(n)
	l := newList()
	harness.Run(n, func(i int) { l.add(keys[i]) }, m, func(i int) { l.remove(keys[i]) })
}
