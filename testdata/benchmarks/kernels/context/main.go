// Misuse of contexts: goroutines that wait forever after a context is cancelled, or because it is not.
package main

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){"send": send, "done": done, "replace": replace}[os.Args[1]]()
}

// send: the consumer returns when the context is cancelled, and the producer sends without looking at it.
func send() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	values := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(values)
		for i := range 3 {
			if ctx.Err() != nil {
				return
			}
			values <- i
		}
	})
	wg.Go(func() {
		for {
			select {
			case _, ok := <-values:
				if !ok {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	})
	wg.Go(cancel)
	wg.Wait()
}

// done: a worker that finds the context cancelled before it begins does not call Done.
func done() {
	ctx, cancel := context.WithCancel(context.Background())
	var finished sync.WaitGroup
	var jobs atomic.Int32
	for range 2 {
		finished.Add(1)
		go func() {
			if ctx.Err() != nil {
				return
			}
			defer finished.Done()
			if jobs.Add(1) == 2 {
				cancel()
			}
		}()
	}
	finished.Add(1)
	go func() {
		if ctx.Err() != nil {
			return
		}
		defer finished.Done()
		jobs.Add(10)
	}()
	finished.Wait()
	cancel()
}

// replace: a watcher that is restarted gets a new context; the cancel function of the old one is lost if two
// restart it.
func replace() {
	var cancel atomic.Pointer[context.CancelFunc]
	var watchers sync.WaitGroup
	start := func() {
		if old := cancel.Load(); old != nil {
			(*old)()
		}
		ctx, c := context.WithCancel(context.Background())
		cancel.Store(&c)
		watchers.Go(func() { <-ctx.Done() })
	}
	start()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(start)
	}
	wg.Wait()
	(*cancel.Load())()
	watchers.Wait()
}
