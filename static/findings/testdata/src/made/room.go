package made

import "sync"

// A Room has guests.
type Room struct {
	hub    *Hub
	mu     sync.Mutex
	guests int
	open   bool
}

// Add adds guests.
func (r *Room) Add(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.guests += n
	r.open = true
}

// Remove removes guests.
func (r *Room) Remove(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.guests -= n
	if r.guests == 0 {
		r.open = false
	}
}

// Count returns the number of guests of a room that is open.
func (r *Room) Count(level int) int {
	if level != 7 {
		return 0
	}
	return r.count()
}

func (r *Room) count() int {
	return r.guests // want HBA107 "r.guests is read without mu"
}

// Move moves a guest to another room.
func (r *Room) Move(to *Room) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to.mu.Lock() // want HBA111 "another lock of the same kind"
	defer to.mu.Unlock()
	r.guests--
	to.guests++
}

// Clear removes the guests of a room.
func Clear(r *Room) bool {
	r.mu.Lock()
	if r.guests == 0 {
		return false // want HBA103 "return without r.mu.Unlock()"
	}
	r.guests = 0
	r.mu.Unlock()
	return true
}
