package outside

import (
	"container/list"
	"context"
	"errors"
	"runtime"
	"sync"
)

// Numbers that depend on inputs agree with each other.

// Bench waits for as many goroutines as it starts.
func Bench(n, m *int, read, write func()) {
	var wg sync.WaitGroup
	wg.Add(*n + *m)
	for range *n {
		go func() {
			defer wg.Done()
			read()
		}()
	}
	for range *m {
		go func() {
			defer wg.Done()
			write()
		}()
	}
	wg.Wait()
}

// BenchWrong does not.
func BenchWrong(n *int, read func()) {
	var wg sync.WaitGroup
	wg.Add(*n + 1)
	for range *n {
		go func() {
			defer wg.Done()
			read()
		}()
	}
	wg.Wait() // want HBA302 "this Wait may never return"
}

// CloseAll waits for all elements of a map.
func CloseAll(all map[string]func()) {
	var wg sync.WaitGroup
	wg.Add(len(all))
	for _, f := range all {
		go func() {
			defer wg.Done()
			f()
		}()
	}
	wg.Wait()
}

// CloseSome forgets one.
func CloseSome(all map[string]func(), skip string) {
	var wg sync.WaitGroup
	wg.Add(len(all))
	for name, f := range all {
		if name == skip {
			continue
		}
		go func() {
			defer wg.Done()
			f()
		}()
	}
	wg.Wait() // want HBA302 "this Wait may never return"
}

// Parallel has a buffer for each part.
func Parallel(all []int) (sum int) {
	cpus := runtime.NumCPU()
	if cpus%2 != 0 {
		panic("odd")
	}
	size := len(all)/cpus + 1
	out := make(chan int, cpus)
	var wg sync.WaitGroup
	for i := 0; i < len(all); i += size {
		wg.Add(1)
		go func() {
			out <- i
			wg.Done()
		}()
	}
	wg.Wait()
	close(out)
	for n := range out {
		sum += n
	}
	return sum
}

// A Queue has the channels of those that wait.
type Queue struct {
	mu      sync.Mutex
	waiters list.List
}

type waiter struct {
	n     int
	ready chan struct{}
}

// Wait waits for Wake.
func (q *Queue) Wait(work func()) {
	go func() { work() }()
	ready := make(chan struct{})
	q.mu.Lock()
	q.waiters.PushBack(waiter{1, ready})
	q.mu.Unlock()
	<-ready
}

// WaitAlone gives its channel to nobody.
func (q *Queue) WaitAlone(work func()) {
	go func() { work() }()
	ready := make(chan struct{})
	q.mu.Lock()
	q.waiters.PushBack(waiter{1, nil})
	q.mu.Unlock()
	<-ready // want HBA202 "this receive may wait forever"
}

// Ask returns early for one of many reasons.
func Ask(work func() int, stop bool) int {
	answer := make(chan int)
	go func() {
		answer <- work() // want HBA201 "this send may wait forever" medium
	}()
	if stop {
		return 0
	}
	return <-answer
}

// AskMany does so for all of them together.
func AskMany(work func() int, stop [20]bool) int {
	answer := make(chan int)
	go func() {
		answer <- work() // want HBA201 "this send may wait forever" low
	}()
	n := 0
	for _, s := range stop {
		if s {
			n++
		}
	}
	if n > 10 {
		return 0
	}
	return <-answer
}

// Work has some workers, or none, which is an unlikely input.
func Work(workers int, list []int, do func(int)) {
	jobs := make(chan int)
	for range workers {
		go func() {
			for n := range jobs {
				do(n)
			}
		}()
	}
	for _, n := range list {
		jobs <- n // want HBA201 "this send may wait forever" low
	}
	close(jobs)
}

// First sends to a channel with room.
func First(room int, do func(int)) {
	jobs := make(chan int, room)
	jobs <- 1 // want HBA201 "this send may wait forever" low
	go func() { do(<-jobs) }()
}

// Follow and FollowCause end with a context, which then has an error.
func Follow(ctx context.Context, work func()) {
	never := make(chan struct{})
	go func() { work() }()
	<-ctx.Done()
	if ctx.Err() == nil {
		<-never
	}
}

func FollowCause(ctx context.Context, work func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	never := make(chan struct{})
	go func() {
		work()
		cancel(errors.New("done"))
	}()
	<-ctx.Done()
	if context.Cause(ctx) == nil {
		<-never
	}
}

// FollowWrong takes the wrong way.
func FollowWrong(ctx context.Context, work func()) {
	never := make(chan struct{})
	go func() { work() }()
	<-ctx.Done()
	if context.Cause(ctx) != nil {
		<-never // want HBA202 "this receive may wait forever"
	}
}

// Subscribe leaves the goroutines that it has started if one cannot be.
func Subscribe(n int, open func() (int, error)) (chan int, error) {
	out := make(chan int)
	for i := 0; i < n; i++ {
		in, err := open()
		if err != nil {
			return nil, err
		}
		go func() {
			out <- in // want HBA201 "this send may wait forever" medium
		}()
	}
	return out, nil
}

// SubscribeTo stops at a limit.
func SubscribeTo(n, limit int, open func() int) chan int {
	out := make(chan int)
	for i := 0; i < n; i++ {
		if limit < 3 {
			return nil
		}
		limit--
		in := open()
		go func() {
			out <- in // want HBA201 "this send may wait forever" medium
		}()
	}
	return out
}

// closed is a channel that init makes and closes.
var closed chan struct{}

func init() { closeIt() }

func closeIt() {
	closed = make(chan struct{})
	close(closed)
}

// Closed waits for a channel that is closed.
func Closed(f func()) {
	go func() {
		f()
		<-closed
	}()
}
