// Bugs 1544 and 2783 of Lucene, as their reports describe them (lucene of JaConTeBe; the argument is the
// number of the bug).
package main

import (
	"os"
	"sync"
)

func main() {
	map[string]func(){"1544": adds, "2783": commits}[os.Args[1]]()
}

// A writer has merges that run.
type writer struct {
	mu      sync.Mutex
	changed *sync.Cond
	merges  int
	adding  bool // an index is added
	commits int
}

func newWriter() *writer {
	w := &writer{}
	w.changed = sync.NewCond(&w.mu)
	return w
}

func (w *writer) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.merges++
}

func (w *writer) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.merges--
	w.changed.Broadcast()
}

// wait waits until no merge runs.
func (w *writer) wait() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.merges > 0 {
		w.changed.Wait()
	}
}

// adds: whoever adds an index keeps others from committing, and waits for the merges. A merge commits.
func adds() {
	w := newWriter()
	allow := func(adding bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.adding = adding
		w.changed.Broadcast()
	}
	commit := func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for w.adding {
			w.changed.Wait()
		}
		w.commits++
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			w.begin()
			commit()
			w.end()
		})
	}
	w.wait()
	allow(false)
	allow(true)
	w.wait()
	allow(false)
	wg.Wait()
}

// commits: whoever commits has the lock for it, and waits for the merges. The second merge commits.
func commits() {
	w := newWriter()
	var lock sync.Mutex
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			w.begin()
			if i == 1 {
				lock.Lock()
				lock.Unlock()
			}
			w.end()
		})
	}
	for range 2 {
		lock.Lock()
		w.wait()
		lock.Unlock()
	}
	wg.Wait()
}
