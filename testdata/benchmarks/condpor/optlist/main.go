// OptList: a sorted list that is searched without locks; then two nodes are locked, and a second
// search checks that they are still in the list. n goroutines add unknown keys that differ, and m
// remove the first of these.
//
//	optlist n m
package main

import (
	"math"
	"sync"
	"sync/atomic"

	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

type node struct {
	mu   sync.Mutex
	key  int
	next atomic.Pointer[node]
}

func newNode(key int, next *node) *node {
	n := &node{key: key}
	n.next.Store(next)
	return n
}

type list struct{ head *node }

func newList() *list { return &list{newNode(math.MinInt, newNode(math.MaxInt, nil))} }

// find returns the last node with a key below k, and the one that follows it, both locked.
func (l *list) find(k int) (pred, curr *node) {
	for {
		pred = l.head
		curr = pred.next.Load()
		for curr.key < k {
			pred, curr = curr, curr.next.Load()
		}
		pred.mu.Lock()
		curr.mu.Lock()
		if l.valid(pred, curr) {
			return pred, curr
		}
		curr.mu.Unlock()
		pred.mu.Unlock()
	}
}

// valid reports whether pred is in the list and curr follows it.
func (l *list) valid(pred, curr *node) bool {
	for n := l.head; n.key <= pred.key; n = n.next.Load() {
		if n == pred {
			return pred.next.Load() == curr
		}
	}
	return false
}

func (l *list) add(k int) {
	pred, curr := l.find(k)
	if curr.key != k {
		pred.next.Store(newNode(k, curr))
	}
	curr.mu.Unlock()
	pred.mu.Unlock()
}

func (l *list) remove(k int) {
	pred, curr := l.find(k)
	if curr.key == k {
		pred.next.Store(curr.next.Load())
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
