// The example of section 3: p and q write 5 to x, and r reads it. All three are dependent, so there
// are 6 executions; but p and q commute although they are dependent, and only 2 executions differ.
//
//	pqr
package main

import (
	"sync"
	"sync/atomic"
)

// got is what r has read, so that it is part of the state.
//
//lint:ignore U1000 nobody reads it
var got int64

func main() {
	var x atomic.Int64
	var wg sync.WaitGroup
	wg.Add(3)
	go func() {
		defer wg.Done()
		x.Store(5)
	}()
	go func() {
		defer wg.Done()
		x.Store(5)
	}()
	go func() {
		defer wg.Done()
		got = x.Load()
	}()
	wg.Wait()
}
