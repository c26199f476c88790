package singleflight

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	var g Group
	var wg sync.WaitGroup
	var calls, running atomic.Int32
	for range 3 {
		wg.Go(func() {
			v, err, _ := g.Do("key", func() (any, error) {
				if running.Add(1) > 1 {
					t.Error("two calls at a time")
				}
				n := calls.Add(1)
				running.Add(-1)
				return n, nil
			})
			if n, ok := v.(int32); !ok || n < 1 || n > 3 || err != nil {
				t.Errorf("%v, %v", v, err)
			}
		})
	}
	wg.Wait()
}
