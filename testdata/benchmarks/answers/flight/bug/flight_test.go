package flight

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	bad := errors.New("bad")
	for _, tt := range []struct {
		name string
		err  error
	}{{"value", nil}, {"error", bad}} {
		t.Run(tt.name, func(t *testing.T) {
			var g Group
			var calls atomic.Int32
			var wg sync.WaitGroup
			for range 2 {
				wg.Add(1)
				go func() {
					defer wg.Done()
					v, _, err := g.Do("k", func() (int, error) { calls.Add(1); return 42, tt.err })
					if v != 42 || err != tt.err {
						t.Errorf("Do = %d, %v", v, err)
					}
				}()
			}
			wg.Wait()
			if n := calls.Load(); n < 1 || n > 2 {
				t.Errorf("%d calls", n)
			}
		})
	}
}
