// Least prefixes of WaitGroup counters.
package main

import "sync"

func done(wg *sync.WaitGroup) {
	wg.Done() // want minprefix:"wg may go down by 1"
	print(1)  // want minprefix:"none"
}

func addFirst(wg *sync.WaitGroup) {
	wg.Add(1) // want minprefix:"none"
	wg.Done() // want minprefix:"wg may go down by 1"
}

func workers(wg *sync.WaitGroup, n int) {
	print(n) // want minprefix:"none"
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			print(1) // want minprefix:"wg may go down by 1"
		}()
	}
	wg.Wait()
}

// With Go, started in a loop.
func goes(wg *sync.WaitGroup, n int) {
	print(n) // want minprefix:"none"
	for range n {
		wg.Go(func() {
			print(1) // want minprefix:"none"
		})
	}
}

func late(wg *sync.WaitGroup) {
	go wg.Done() // want minprefix:"wg may go down by 1"
	wg.Add(1)
}

func loop(wg *sync.WaitGroup, n int) {
	print(n) // want minprefix:"wg may go down without bound"
	for range n {
		wg.Done()
	}
}

func unknown(wg *sync.WaitGroup, n int) {
	wg.Add(n) // want minprefix:"wg may go down without bound"
}

func nameless(f func() *sync.WaitGroup) {
	f().Add(1) // want minprefix:"something unknown may go down by 2"
	f().Add(-2)
}

func three(a, b *sync.WaitGroup) {
	two(a, a, b) // want minprefix:"a may go down by 2" minprefix:"b may go down by 1"
}

func two(p, q, r *sync.WaitGroup) {
	p.Done()
	q.Done()
	r.Done()
}

// The copy's counter is another.
func copied(wg sync.WaitGroup) {
	wg.Done()
}

func copies(wg *sync.WaitGroup) {
	print(1) // want minprefix:"none"
	copied(*wg)
}

func local() {
	print(1) // want minprefix:"none"
	var wg sync.WaitGroup
	wg.Done()
}

func main() {
	var wg sync.WaitGroup
	done(&wg)
	addFirst(&wg)
	workers(&wg, 2)
	goes(&wg, 2)
	late(&wg)
	loop(&wg, 1)
	unknown(&wg, 1)
	nameless(func() *sync.WaitGroup { return &wg })
	three(&wg, &wg)
	copies(&wg)
	local()
}
