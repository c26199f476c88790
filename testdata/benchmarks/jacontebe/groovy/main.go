// Bugs 3495, 4292, 6068 and 6456 of Groovy, as their reports describe them (groovy of JaConTeBe; the argument
// is the number of the bug).
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){"3495": defines, "4292": resizes, "6068": restores, "6456": matches}[os.Args[1]]()
}

// defines: two goroutines look up the same class, do not find it, and define it.
func defines() {
	var mu sync.Mutex
	classes := map[string]bool{}
	var load func(name string)
	load = func(name string) {
		mu.Lock()
		found := classes[name]
		mu.Unlock()
		if found {
			return
		}
		if name != "Object" {
			load("Object") // its superclass
		}
		mu.Lock()
		defer mu.Unlock()
		if classes[name] {
			panic("a class is defined twice: " + name)
		}
		classes[name] = true
	}
	load("Object")
	var wg sync.WaitGroup
	for _, names := range [][]string{{"Bean", "Node"}, {"List", "Bean"}, {"Map", "List"}} {
		wg.Go(func() {
			for _, name := range names {
				load(name)
			}
		})
	}
	wg.Wait()
}

// An entry of a hash table.
type entry struct{ next atomic.Pointer[entry] }

// resizes: two goroutines find the table full and transfer the same chain to new tables, which reverses it.
// If one of them has read an entry and its successor, and the other one transfers both, the chain becomes a
// circle.
func resizes() {
	type table struct{ chain atomic.Pointer[entry] }
	var (
		present atomic.Pointer[table]
		size    atomic.Int32
	)
	present.Store(&table{})
	put := func() {
		t := present.Load()
		e := &entry{}
		e.next.Store(t.chain.Load())
		t.chain.Store(e)
		if size.Add(1) < 3 {
			return
		}
		from, to := present.Load(), &table{}
		e = from.chain.Load()
		from.chain.Store(nil)
		for e != nil {
			next := e.next.Load()
			e.next.Store(to.chain.Load())
			to.chain.Store(e)
			e = next
		}
		present.Store(to)
	}
	get := func() {
		n := 0
		for e := present.Load().chain.Load(); e != nil; e = e.next.Load() {
			if n++; n > 4 {
				panic("the chain is a circle")
			}
		}
	}
	put()
	put()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			put()
			get()
		})
	}
	wg.Wait()
}

// restores: a build saves the standard input, replaces it and restores it. If another one does so meanwhile,
// a replaced input stays.
func restores() {
	var input atomic.Int32
	var mu sync.Mutex // of the output
	lines := 0
	var wg sync.WaitGroup
	for me := range int32(2) {
		wg.Go(func() {
			for range 2 {
				saved := input.Load()
				if saved == 0 {
					input.Store(me + 1)
				}
				mu.Lock()
				lines++
				mu.Unlock()
				input.Store(saved)
			}
		})
	}
	wg.Wait()
	if input.Load() != 0 {
		panic("the input is not restored")
	}
}

// matches: requests share a matcher. One resets it while another one replaces what it has found.
func matches() {
	var first atomic.Int32 // the start of the match, or -1
	request := func(found int32) {
		first.Store(-1)
		if found < 0 {
			return // no match
		}
		first.Store(found)
		if first.Load() < 0 {
			panic("no match available")
		}
	}
	var mu sync.Mutex // of the session
	var wg sync.WaitGroup
	for _, found := range []int32{-1, 7, -1} {
		wg.Go(func() {
			mu.Lock()
			mu.Unlock()
			request(found)
			mu.Lock()
			mu.Unlock()
		})
	}
	wg.Wait()
}
