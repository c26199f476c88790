// Goroutines trace into a file while another one ends the tracing: a message is written after the check that the file
// is open, but the end does not wait for messages (misc/ctrace-test of SCTBench).
package main

import (
	"sync"
	"sync/atomic"
)

type trace struct {
	mu       sync.RWMutex // of the table of goroutines
	names    map[int]string
	open     atomic.Bool
	messages atomic.Int32
}

func (t *trace) print(id int) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if !t.open.Load() || t.names[id] == "" {
		return
	}
	t.write()
}

func (t *trace) write() {
	if !t.open.Load() {
		panic("a message for a closed file")
	}
	t.messages.Add(1)
}

func (t *trace) end() {
	t.open.Store(false) // the mistake: without the lock
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.names)
}

func main() {
	t := &trace{names: map[int]string{0: "main"}}
	t.open.Store(true)
	var wg sync.WaitGroup
	wg.Go(t.end)
	wg.Go(func() {})
	t.print(0)
	t.print(0)
	wg.Wait()
}
