// Package hub sends what is published to all subscribers. It may send on a channel that is closed.
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
		delete(h.subs, sub)
		h.mu.Unlock()
		close(sub)
	}
}

// Publish sends x to every subscriber that has room for it.
func (h *Hub) Publish(x int) {
	h.mu.Lock()
	subs := make([]chan int, 0, len(h.subs))
	for c := range h.subs {
		subs = append(subs, c)
	}
	h.mu.Unlock()
	for _, c := range subs {
		select {
		case c <- x:
		default:
		}
	}
}
