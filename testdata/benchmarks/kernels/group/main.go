// Misuse of wait groups: Add after Wait, and Wait with a lock that those need who call Done.
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){"add": add, "locked": locked}[os.Args[1]]()
}

// add: a job that has been accepted is added when it begins, and Wait may come earlier. Then the job finds
// the file closed.
func add() {
	var wg sync.WaitGroup
	var isOpen atomic.Bool
	isOpen.Store(true)
	begun := make(chan bool, 2)
	finished := make(chan bool, 2)
	for range 2 {
		go func() {
			begun <- true
			wg.Add(1)
			if !isOpen.Load() {
				panic("the file is closed")
			}
			wg.Done()
			finished <- true
		}()
	}
	<-begun
	<-begun
	wg.Wait()
	isOpen.Store(false)
	<-finished
	<-finished
}

// locked: whoever flushes waits for the writers with the lock that a writer needs if the buffer is full.
func locked() {
	var mu sync.Mutex
	var writers sync.WaitGroup
	var buffered atomic.Int32
	for range 3 {
		writers.Go(func() {
			if buffered.Add(1) < 3 {
				return
			}
			mu.Lock()
			buffered.Store(0)
			mu.Unlock()
		})
	}
	if buffered.Load() > 0 {
		mu.Lock()
		writers.Wait()
		mu.Unlock()
	}
	writers.Wait()
}
