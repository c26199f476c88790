package handler

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

func TestVisits(t *testing.T) {
	c := new(Counter)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			w := httptest.NewRecorder()
			c.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
			if w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), "visit ") {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	wg.Wait()
}

func TestMethod(t *testing.T) {
	w := httptest.NewRecorder()
	new(Counter).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("status %d", w.Code)
	}
}
