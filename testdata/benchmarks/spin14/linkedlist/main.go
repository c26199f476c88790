// Linked list: builders append the numbers of their ranges to one list, each
// from its header to the last node and behind that.
//
// Shared: the list's header, through which all nodes are reached, and one
// lock around all of addLast. A node's fields are set under a lock of its own
// that nobody else can know yet. Different from the Java text: insert relies
// on the lock that addLast holds where Java takes the same lock again, and
// main does not empty the list in the end.
//
//	linkedlist builders elements
package main

import (
	"os"
	"strconv"
	"sync"
)

type node struct {
	mu      sync.Mutex
	element any
	next    *node
}

func newNode(element any, next *node) *node {
	n := new(node)
	n.mu.Lock()
	n.element = element
	n.next = next
	n.mu.Unlock()
	return n
}

// iterator is a place in a list.
type iterator struct{ current *node }

type list struct {
	mu      sync.Mutex
	header  *node // a node without an element
	maxSize int
}

func newList(maxSize int) *list { return &list{header: newNode(nil, nil), maxSize: maxSize} }

func (l *list) addLast(x any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.header
	for last.next != nil {
		last = last.next
	}
	l.insert(x, &iterator{last})
}

// insert puts x behind p. The list is locked.
func (l *list) insert(x any, p *iterator) {
	if p == nil || p.current == nil {
		return
	}
	n := newNode(x, p.current.next)
	p.current.next = n
}

func (l *list) size() int {
	n := 0
	for p := l.header.next; p != nil; p = p.next {
		n++
	}
	return n
}

type builder struct {
	list           *list
	bound1, bound2 int
}

func (b *builder) run() {
	for i := b.bound1; i < b.bound2; i++ {
		b.list.addLast(i)
	}
}

// final is what main leaves behind, so that final states can be compared.
//
//lint:ignore U1000 nobody reads it
var final *list

func main() {
	builders, elements := number(1), number(2)
	l := newList(elements)
	step := elements / builders
	var wg sync.WaitGroup
	for k := range builders {
		b := &builder{l, k * step, (k + 1) * step}
		wg.Go(b.run)
	}
	wg.Wait()
	if l.size() != step*builders {
		panic("bug found")
	}
	final = l
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
