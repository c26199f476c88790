// FineList: a sorted list in which each node has a lock, and a goroutine has those of two nodes at a
// time. n goroutines add unknown keys that differ, and m remove the first of these.
//
//	finelist n m
package main

import (
	"math"
	"sync"

	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

type node struct {
	mu   sync.Mutex
	key  int
	next *node
}

type list struct{ head *node }

func newList() *list { return &list{&node{key: math.MinInt, next: &node{key: math.MaxInt}}} }

// find returns the last node with a key below k, and the one that follows it, both locked.
func (l *list) find(k int) (pred, curr *node) {
	pred = l.head
	pred.mu.Lock()
	curr = pred.next
	curr.mu.Lock()
	for curr.key < k {
		pred.mu.Unlock()
		pred, curr = curr, curr.next
		curr.mu.Lock()
	}
	return pred, curr
}

func (l *list) add(k int) {
	pred, curr := l.find(k)
	if curr.key != k {
		pred.next = &node{key: k, next: curr}
	}
	curr.mu.Unlock()
	pred.mu.Unlock()
}

func (l *list) remove(k int) {
	pred, curr := l.find(k)
	if curr.key == k {
		pred.next = curr.next
	}
	curr.mu.Unlock()
	pred.mu.Unlock()
}

func main() {
	n, m := harness.Args()
	keys := values.Keys(n)
	l := newList()
	harness.Run(n, func(i int) { l.add(keys[i]) }, m, func(i int) { l.remove(keys[i]) })
}
