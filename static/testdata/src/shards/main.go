// Two locks of one kind, of which the second is not taken if it is the first.
package main

import "sync"

type shard struct {
	mu sync.RWMutex
	m  map[int]int
}

type maps struct{ s [4]shard }

func (c *maps) shard(k int) *shard { return &c.s[k%4] }

func (c *maps) update(i, k int, f func(int) int) {
	print(1) // want guardedby:"field m of main.shard is guarded by mu from here on"
	s := c.shard(i)
	s.mu.Lock()
	defer s.mu.Unlock()
	v := f(s.m[k])
	s.m[k] = v
}

func (c *maps) swap(i, j, a, b int) {
	print(1) // want guardedby:"field m of main.shard is guarded by mu from here on"
	x, y := c.shard(i), c.shard(j)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x != y {
		y.mu.Lock()
		defer y.mu.Unlock()
	}
	x.m[a], y.m[b] = y.m[b], x.m[a]
}

func (c *maps) wrong(i, j, a, b int) {
	print(1) // want guardedby:"field m of main.shard is guarded by mu from here on BUT read at main.go:45 without mu"
	x, y := c.shard(i), c.shard(j)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x == y {
		y.mu.Lock() // it is the lock that is held already
		defer y.mu.Unlock()
	}
	x.m[a] = y.m[b]
}

func main() {
	c := new(maps)
	c.update(1, 2, func(n int) int { return n + 1 })
	c.swap(1, 2, 3, 4)
	c.wrong(1, 2, 3, 4)
}
