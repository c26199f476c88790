package xsync

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/semaphore"
)

// The weights held at a time never exceed the size, and everybody gets in.
func TestSemaphoreWeights(t *testing.T) {
	s := semaphore.NewWeighted(2)
	var held atomic.Int64
	var wg sync.WaitGroup
	for _, n := range []int64{1, 2, 1} {
		wg.Go(func() {
			if err := s.Acquire(context.Background(), n); err != nil {
				t.Error(err)
			}
			if h := held.Add(n); h > 2 {
				t.Errorf("%d of 2 held", h)
			}
			held.Add(-n)
			s.Release(n)
		})
	}
	wg.Wait()
	if !s.TryAcquire(2) {
		t.Error("not everything came back")
	}
}

// When the waiter at the front gives up, the one behind it, who wants less,
// gets in.
func TestSemaphoreCancel(t *testing.T) {
	s := semaphore.NewWeighted(2)
	if !s.TryAcquire(1) {
		t.Fatal("cannot acquire")
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if s.Acquire(ctx, 2) == nil {
			t.Error("more than everything acquired")
		}
	})
	wg.Go(func() {
		if err := s.Acquire(context.Background(), 1); err != nil {
			t.Error(err)
		}
		s.Release(1)
	})
	cancel()
	wg.Wait()
	s.Release(1)
	if !s.TryAcquire(2) {
		t.Error("not everything came back")
	}
}

// A waiter may get in just when its context is cancelled: either it holds its
// weight and says so, or it does not.
func TestSemaphoreCancelLate(t *testing.T) {
	s := semaphore.NewWeighted(1)
	if !s.TryAcquire(1) {
		t.Fatal("cannot acquire")
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if s.Acquire(ctx, 1) == nil {
			s.Release(1)
		}
	})
	wg.Go(cancel)
	s.Release(1)
	wg.Wait()
	if !s.TryAcquire(1) {
		t.Error("not everything came back")
	}
}
