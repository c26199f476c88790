package xsync

import (
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/singleflight"
)

// Of two callers each gets the result of a call, and if they share one, both
// are told.
func TestSingleflightDo(t *testing.T) {
	var g singleflight.Group
	var calls, shares atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			v, err, shared := g.Do("key", func() (any, error) {
				return int(calls.Add(1)), nil
			})
			if n, ok := v.(int); !ok || err != nil || n < 1 || n > 2 {
				t.Errorf("Do: %v, %v", v, err)
			}
			if shared {
				shares.Add(1)
			}
		})
	}
	wg.Wait()
	if c, s := calls.Load(), shares.Load(); c == 2 && s != 0 || c == 1 && s != 2 || c < 1 || c > 2 {
		t.Errorf("%d calls, %d callers share one", c, s)
	}
}

// A function is not called while it is running.
func TestSingleflightOneAtATime(t *testing.T) {
	var g singleflight.Group
	var running atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			g.Do("key", func() (any, error) {
				if running.Add(1) > 1 {
					t.Error("two at a time")
				}
				running.Add(-1)
				return nil, nil
			})
		})
	}
	wg.Wait()
}

// DoChan delivers to everybody, and calls again after Forget.
func TestSingleflightDoChan(t *testing.T) {
	var g singleflight.Group
	var calls atomic.Int32
	fn := func() (any, error) { return int(calls.Add(1)), nil }
	first := g.DoChan("key", fn)
	second := g.DoChan("key", fn)
	g.Forget("key")
	third := g.DoChan("key", fn)
	a, b, c := <-first, <-second, <-third
	if n := int(calls.Load()); n < 2 || n > 3 || a.Err != nil || b.Err != nil || c.Err != nil {
		t.Errorf("%d calls: %v %v %v", n, a, b, c)
	}
}
