package outside

import "sync"

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
