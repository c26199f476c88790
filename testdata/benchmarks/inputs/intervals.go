package inputs

import "sync"

// A Room is booked for intervals that do not overlap.
type Room struct {
	mu      sync.Mutex
	booked  [][2]int8
	version Version
}

func (r *Room) free(from, to int8) bool {
	for _, b := range r.booked {
		if from < b[1] && b[0] < to {
			return false
		}
	}
	return true
}

// Book books from ... to if that is free. The wrong one looks and books in two critical sections.
func (r *Room) Book(from, to int8) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if from >= to || !r.free(from, to) {
		return false
	}
	if r.version == Wrong {
		r.mu.Unlock()
		r.mu.Lock()
	}
	r.booked = append(r.booked, [2]int8{from, to})
	return true
}
