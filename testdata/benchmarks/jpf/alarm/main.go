// Alarm clock: one goroutine ticks, the clients sleep on one monitor, the
// i-th until i ticks from when it starts.
//
//	alarm clients maxTime
package main

import (
	"os"
	"strconv"
	"sync"
)

type clock struct {
	mu     sync.Mutex
	ticked sync.Cond
	now    int
	max    int
}

func newClock(max int) *clock {
	c := &clock{max: max}
	c.ticked.L = &c.mu
	return c
}

func (c *clock) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	c.ticked.Broadcast()
}

func (c *clock) time() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) wakeMe(d int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.now + d
	if at > c.max {
		return
	}
	for c.now < at {
		c.ticked.Wait()
	}
}

func main() {
	clients, max := number(1), number(2)
	c := newClock(max)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { c.wakeMe(i + 1) })
	}
	wg.Go(func() {
		for c.time() < max {
			c.tick()
		}
	})
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
