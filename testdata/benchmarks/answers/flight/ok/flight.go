// Package flight calls a function once for all who ask at the same time. The result is complete before anyone sees it.
package flight

import "sync"

type call struct {
	done chan struct{}
	val  int
	err  error
	dups int
}

// Group is a set of calls, by key.
type Group struct {
	mu sync.Mutex
	m  map[string]*call
}

// Do calls f, or waits for the call under way. shared says whether several have its result.
func (g *Group) Do(key string, f func() (int, error)) (v int, shared bool, err error) {
	g.mu.Lock()
	if g.m == nil {
		g.m = make(map[string]*call)
	}
	if c, ok := g.m[key]; ok {
		c.dups++
		g.mu.Unlock()
		<-c.done
		return c.val, true, c.err
	}
	c := &call{done: make(chan struct{})}
	g.m[key] = c
	g.mu.Unlock()
	c.val, c.err = f()
	g.mu.Lock()
	delete(g.m, key)
	shared = c.dups > 0
	g.mu.Unlock()
	close(c.done)
	return c.val, shared, c.err
}
