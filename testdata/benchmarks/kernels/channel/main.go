// Misuse of channels: goroutines that wait forever for a send or a receive, channels with locks, and channels
// that are closed too early or twice.
package main

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){
		"first": first, "stop": stop, "full": full, "publish": publish, "twice": twice, "closed": closed,
		"drained": drained,
	}[os.Args[1]]()
}

// first: the receiver takes one error, and each of two goroutines may have one, if the other one is not known
// yet.
func first() {
	done, errs := make(chan bool), make(chan error)
	var failed atomic.Bool
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			if i > 0 && !failed.Load() {
				failed.Store(true)
				errs <- errors.New("no")
				return
			}
			done <- true
		})
	}
	from := errs
	for range 3 {
		select {
		case <-done:
		case <-from:
			from = nil
		}
	}
	wg.Wait()
}

// stop: whoever stops a loop sends to it, and the loop may have ended at an error.
func stop() {
	jobs, quit := make(chan int, 1), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case job := <-jobs:
				if job > 1 {
					return // an error
				}
			case <-quit:
				return
			}
		}
	})
	for job := range 3 {
		jobs <- job
	}
	quit <- true
	wg.Wait()
}

// full: a sender with a lock waits for room in a channel; the receiver waits for the lock.
func full() {
	var mu sync.Mutex
	events := make(chan int, 3)
	total := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range 3 {
				mu.Lock()
				total += i
				events <- i
				mu.Unlock()
			}
		})
	}
	for range 6 {
		i := <-events
		mu.Lock()
		total -= i
		mu.Unlock()
	}
	wg.Wait()
}

// publish: a publisher sends with a read lock; a subscriber that leaves needs the lock, and receives no more.
func publish() {
	var mu sync.RWMutex
	subscribers := map[chan int]bool{}
	var wg sync.WaitGroup
	subscribe := func(n int) {
		c := make(chan int)
		mu.Lock()
		subscribers[c] = true
		mu.Unlock()
		wg.Go(func() {
			for range n {
				<-c
			}
			mu.Lock()
			delete(subscribers, c)
			mu.Unlock()
			close(c)
		})
	}
	subscribe(1)
	subscribe(1)
	for i := range 2 {
		mu.RLock()
		for c := range subscribers {
			c <- i
		}
		mu.RUnlock()
	}
	wg.Wait()
}

// twice: two goroutines that find a channel open close it.
func twice() {
	var isClosed atomic.Bool
	done := make(chan bool)
	finish := func() {
		if !isClosed.Load() {
			isClosed.Store(true)
			close(done)
		}
	}
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 3 {
				mu.Lock()
				n++
				last := n > 3
				mu.Unlock()
				if last {
					finish()
				}
			}
		})
	}
	<-done
	wg.Wait()
}

// closed: whoever has sent the result of the last job closes the channel, and another job may not have sent
// its result.
func closed() {
	const jobs = 4
	var taken atomic.Int32
	results := make(chan int32, jobs)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				job := taken.Add(1)
				if job > jobs {
					return
				}
				results <- job
				if job == jobs {
					close(results)
				}
			}
		})
	}
	for range results {
	}
	wg.Wait()
}

// drained: a pool that is drained closes its channel, and a job may be submitting another one.
func drained() {
	jobs := make(chan int)
	var draining atomic.Bool
	var submitting, workers sync.WaitGroup
	submit := func(job int) {
		if !draining.Load() {
			jobs <- job
		}
	}
	for range 2 {
		workers.Go(func() {
			for job := range jobs {
				if job > 0 {
					submitting.Go(func() { submit(job - 1) })
				}
			}
		})
	}
	submit(2)
	draining.Store(true)
	close(jobs)
	workers.Wait()
	submitting.Wait()
}
