// HWQueue: the queue of Herlihy and Wing. n goroutines put an element into it and m take one out,
// or give up when they have looked at every place that was taken when they began.
//
//	hwqueue n m
package main

import (
	"os"
	"strconv"
	"sync"

	cells "hbcheck.dev/benchmarks/condpor-det/cells/native"
	"hbcheck.dev/benchmarks/condpor-det/values"
)

const none = 0 // nobody has put anything there

type queue struct {
	tail  cells.Int
	items [cells.Most]cells.Int
}

func (q *queue) enqueue(x int64) {
	t := q.tail.Add(1) - 1
	q.items[t].Store(x)
}

func (q *queue) dequeue() (x int64, ok bool) {
	r := q.tail.Load()
	for i := range r {
		if x := q.items[i].Swap(none); x != none {
			return x, true
		}
	}
	return none, false
}

func main() {
	n, m := number(1), number(2)
	q := new(queue)
	elements := values.Elements(n)
	var wg sync.WaitGroup
	wg.Add(n + m)
	for _, x := range elements {
		go func() {
			defer wg.Done()
			q.enqueue(x)
		}()
	}
	for range m {
		go func() {
			defer wg.Done()
			q.dequeue()
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
