// A hub sends messages to all subscribers that it knows, who leave after the last one.
//
//	hub subscribers messages
package main

import (
	"os"
	"strconv"
	"sync"
)

type hub struct {
	mu   sync.RWMutex
	subs map[int]chan int
}

func (h *hub) subscribe(id int) chan int {
	c := make(chan int, 1)
	h.mu.Lock()
	h.subs[id] = c
	h.mu.Unlock()
	return c
}

func (h *hub) leave(id int) {
	h.mu.Lock()
	delete(h.subs, id)
	h.mu.Unlock()
}

func (h *hub) publish(m, n int, done chan struct{}) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for id := range n {
		if c, ok := h.subs[id]; ok {
			select {
			case c <- m:
			case <-done:
				return
			}
		}
	}
}

func main() {
	subscribers, _ := strconv.Atoi(os.Args[1])
	messages, _ := strconv.Atoi(os.Args[2])
	h := &hub{subs: map[int]chan int{}}
	done := make(chan struct{})
	var wg, ready sync.WaitGroup
	for id := range subscribers {
		wg.Add(1)
		ready.Add(1)
		go func() {
			defer wg.Done()
			c := h.subscribe(id)
			ready.Done()
			for range messages {
				select {
				case <-c:
				case <-done:
					return
				}
			}
			h.leave(id)
		}()
	}
	ready.Wait()
	for m := range messages {
		h.publish(m, subscribers, done)
	}
	wg.Wait()
	close(done)
}
