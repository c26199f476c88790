// Two types of equal structure: each has facts of its own.
package main

import "sync"

type guarded struct {
	mu sync.Mutex
	n  int
}

type bare struct {
	mu sync.Mutex
	n  int
}

func main() {
	g, b := new(guarded), new(bare)
	use(g, b)
	go use(g, b)
}

func use(g *guarded, b *bare) {
	print(1) // want guardedby:"field n of main.guarded is guarded by mu from here on" guardedby:"field n of main.bare is guarded by mu from here on BUT written at main.go:.* without mu" !guardedby:".* or main.*"
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
	b.mu.Lock()
	b.n++
	b.mu.Unlock()
	b.n = 0
}
