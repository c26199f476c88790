package hub

import (
	"sync"
	"testing"
)

func TestCancel(t *testing.T) {
	h := New()
	c, cancel := h.Subscribe(2)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		h.Publish(1)
		h.Publish(2)
	}()
	go func() {
		defer wg.Done()
		cancel()
	}()
	last := 0
	for x := range c {
		if x <= last {
			t.Errorf("%d after %d", x, last)
		}
		last = x
	}
	wg.Wait()
}

func TestAll(t *testing.T) {
	h := New()
	a, cancelA := h.Subscribe(1)
	b, cancelB := h.Subscribe(1)
	go h.Publish(7)
	if x, y := <-a, <-b; x != 7 || y != 7 {
		t.Errorf("got %d and %d, want 7", x, y)
	}
	cancelA()
	cancelB()
}
