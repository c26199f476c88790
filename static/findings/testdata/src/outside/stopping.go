package outside

import (
	"sync"
	"time"
)

// Serve panics if serve ends before stop is closed, which depends on code outside.
func Serve(stop <-chan struct{}, serve func() error) {
	go func() { <-stop }()
	go func() {
		err := serve()
		select {
		case <-stop:
		default:
			panic(err)
		}
	}()
}

// ServeHere closes stop itself, perhaps too late.
func ServeHere() {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { close(stop); wg.Done() }()
	go func() {
		defer wg.Done()
		select {
		case <-stop:
		default:
			panic("stopped") // want HBA405 "before another one"
		}
	}()
	wg.Wait()
}

// A Flusher flushes.
type Flusher interface{ Flush() }

// Flushers are passed as a value.
type Flushers struct {
	a, b Flusher
}

// Flush uses fields of which nothing is known.
func (f Flushers) Flush(stop <-chan struct{}) {
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				f.a.Flush()
				f.b.Flush()
			case <-stop:
				return
			}
		}
	}()
}
