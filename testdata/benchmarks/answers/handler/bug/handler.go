// Package handler counts visits. Visits at the same time race.
package handler

import (
	"fmt"
	"net/http"
)

// Counter is an http.Handler.
type Counter struct {
	hits int
}

// ServeHTTP counts a visit.
func (c *Counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "GET only", http.StatusMethodNotAllowed)
		return
	}
	c.hits++
	n := c.hits
	fmt.Fprintf(w, "visit %d\n", n)
}
