// A driver's operation that runs on after the driver has stopped (CS/bluetooth_driver of SCTBench).
package main

import (
	"sync"
	"sync/atomic"
)

type driver struct {
	pending  atomic.Int32
	stopping atomic.Bool
	stopped  atomic.Bool
	event    atomic.Bool
}

func (d *driver) leave() {
	if d.pending.Add(-1) == 0 {
		d.event.Store(true)
	}
}

func main() {
	var d driver
	d.pending.Store(1)
	var wg sync.WaitGroup
	wg.Go(func() {
		if d.stopping.Load() {
			return
		}
		d.pending.Add(1)
		if d.stopped.Load() {
			panic("it works after it has stopped")
		}
		d.leave()
	})
	wg.Go(func() {
		d.stopping.Store(true)
		d.leave()
		if d.event.Load() {
			d.stopped.Store(true)
		}
	})
	wg.Wait()
}
