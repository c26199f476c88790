package semaphore

import (
	"context"
	"sync"
	"testing"
)

func TestCancel(t *testing.T) {
	s := NewWeighted(1)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if s.Acquire(ctx, 1) == nil {
			s.Release(1)
		}
	})
	wg.Go(cancel)
	if err := s.Acquire(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	s.Release(1)
	wg.Wait()
	if !s.TryAcquire(1) {
		t.Error("a token is lost")
	}
}
