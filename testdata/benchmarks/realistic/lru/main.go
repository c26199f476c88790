// Goroutines put entries into a cache and get them from it. The cache keeps the two entries used
// last, in a list and a map under one mutex.
//
//	lru goroutines operations
package main

import (
	"container/list"
	"os"
	"strconv"
	"sync"
)

type entry struct{ key, value int }

type cache struct {
	mu    sync.Mutex
	order *list.List
	at    map[int]*list.Element
}

const room = 2

func (c *cache) put(key, value int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[key]; ok {
		e.Value.(*entry).value = value
		c.order.MoveToFront(e)
		return
	}
	c.at[key] = c.order.PushFront(&entry{key, value})
	if c.order.Len() > room {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.at, last.Value.(*entry).key)
	}
}

func (c *cache) get(key int) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[key]
	if !ok {
		return 0, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry).value, true
}

func main() {
	goroutines, _ := strconv.Atoi(os.Args[1])
	operations, _ := strconv.Atoi(os.Args[2])
	c := &cache{order: list.New(), at: map[int]*list.Element{}}
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range operations {
				key := (g + i) % 3
				if i%2 == 0 {
					c.put(key, key)
				} else if v, ok := c.get(key); ok && v != key {
					panic(v)
				}
			}
		}()
	}
	wg.Wait()
	if c.order.Len() > room || c.order.Len() != len(c.at) {
		panic("lost entries")
	}
}
