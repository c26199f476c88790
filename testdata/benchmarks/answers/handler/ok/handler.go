// Package handler counts visits. Visits are counted under a lock.
package handler

import (
	"fmt"
	"net/http"
	"sync"
)

// Counter is an http.Handler.
type Counter struct {
	mu   sync.Mutex
	hits int
}

// ServeHTTP counts a visit.
func (c *Counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "GET only", http.StatusMethodNotAllowed)
		return
	}
	c.mu.Lock()
	c.hits++
	n := c.hits
	c.mu.Unlock()
	fmt.Fprintf(w, "visit %d\n", n)
}
