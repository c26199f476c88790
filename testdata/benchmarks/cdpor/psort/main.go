// A chain of nodes sorts n numbers: each keeps the least that has come by and sends the others
// on, in any order: n!·(n-1)!···1! executions.
//
//	psort n
package main

import (
	"os"
	"strconv"
	"sync"
)

// wg counts the messages that have not been handled.
var wg sync.WaitGroup

type node struct {
	mu    sync.Mutex
	full  bool
	value int
	next  *node
}

func (n *node) push(x int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.full {
		n.full, n.value = true, x
		return
	}
	if n.next == nil {
		n.next = new(node)
	}
	larger := max(n.value, x)
	n.value = min(n.value, x)
	next := n.next
	wg.Go(func() { next.push(larger) })
}

func main() {
	first := new(node)
	n := number(1)
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			first.push(7 * (i + 1) % 11)
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
