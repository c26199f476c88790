// Package hub sends what is published to all subscribers. A channel is closed with the lock held, under which all is sent.
package hub

import "sync"

// Hub is safe for concurrent use.
type Hub struct {
	mu   sync.Mutex
	subs map[chan int]bool
}

// New returns a hub without subscribers.
func New() *Hub { return &Hub{subs: make(map[chan int]bool)} }

// Subscribe returns a channel of what is published until cancel is called, which closes it.
func (h *Hub) Subscribe(buffer int) (c <-chan int, cancel func()) {
	sub := make(chan int, buffer)
	h.mu.Lock()
	h.subs[sub] = true
	h.mu.Unlock()
	return sub, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, sub)
		close(sub)
	}
}

// Publish sends x to every subscriber that has room for it.
func (h *Hub) Publish(x int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.subs {
		select {
		case c <- x:
		default:
		}
	}
}
