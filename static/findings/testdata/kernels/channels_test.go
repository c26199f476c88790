package kernels

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// The classical leak: the receiver gives up, and the sender has no buffer.

func finishWrong(timeout time.Duration) int {
	ch := make(chan int)
	go func() { ch <- 42 }()
	select {
	case n := <-ch:
		return n
	case <-time.After(timeout):
		return 0
	}
}

func finishRight(timeout time.Duration) int {
	ch := make(chan int, 1)
	go func() { ch <- 42 }()
	select {
	case n := <-ch:
		return n
	case <-time.After(timeout):
		return 0
	}
}

func TestWrongTimeout(t *testing.T) { finishWrong(time.Second) }
func TestRightTimeout(t *testing.T) { finishRight(time.Second) }

// Both results are sent, one is received.

func firstWrong() error {
	errc := make(chan error)
	for range 2 {
		go func() { errc <- errors.New("no") }()
	}
	return <-errc
}

func firstRight() error {
	errc := make(chan error, 2)
	for range 2 {
		go func() { errc <- errors.New("no") }()
	}
	return <-errc
}

func TestWrongFirst(t *testing.T) { firstWrong() }
func TestRightFirst(t *testing.T) { firstRight() }

// A worker that ranges over a channel that nobody closes.

func TestWrongRange(t *testing.T) {
	jobs := make(chan int)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for range jobs {
		}
	}()
	for i := range 3 {
		jobs <- i
	}
	wg.Wait()
}

func TestRightRange(t *testing.T) {
	jobs := make(chan int)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for range jobs {
		}
	}()
	for i := range 3 {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
}

// An error path that does not close.

func produceWrong(fail bool) (sum int) {
	out := make(chan int)
	go func() {
		if fail {
			return
		}
		out <- 1
		close(out)
	}()
	for n := range out {
		sum += n
	}
	return sum
}

func produceRight(fail bool) (sum int) {
	out := make(chan int)
	go func() {
		defer close(out)
		if fail {
			return
		}
		out <- 1
	}()
	for n := range out {
		sum += n
	}
	return sum
}

func TestWrongErrorPath(t *testing.T) { produceWrong(true) }
func TestRightErrorPath(t *testing.T) { produceRight(true) }

// Stop is sent, and the loop may have ended already.

type server struct {
	stop chan struct{}
	fail chan error
	wg   sync.WaitGroup
}

func newServer() *server { return &server{stop: make(chan struct{}), fail: make(chan error, 1)} }

func (s *server) loop() {
	defer s.wg.Done()
	select {
	case <-s.stop:
	case <-s.fail:
	}
}

func (s *server) stopWrong() {
	s.stop <- struct{}{}
	s.wg.Wait()
}

func (s *server) stopRight() {
	close(s.stop)
	s.wg.Wait()
}

func TestWrongStop(t *testing.T) {
	s := newServer()
	s.wg.Add(1)
	go s.loop()
	s.fail <- errors.New("no")
	s.stopWrong()
}

func TestRightStop(t *testing.T) {
	s := newServer()
	s.wg.Add(1)
	go s.loop()
	s.fail <- errors.New("no")
	s.stopRight()
}

// A channel and a lock: the sender holds the lock that the receiver needs.

type hub struct {
	mu  sync.Mutex
	out chan int
	n   int
}

func (h *hub) publishWrong(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.out <- n
}

func (h *hub) publishRight(n int) {
	h.mu.Lock()
	h.n++
	h.mu.Unlock()
	h.out <- n
}

func (h *hub) consume() {
	for range 2 {
		h.mu.Lock()
		h.n++
		h.mu.Unlock()
		<-h.out
	}
}

func TestWrongSendLocked(t *testing.T) {
	h := &hub{out: make(chan int)}
	go h.consume()
	h.publishWrong(1)
	h.publishWrong(2)
}

func TestRightSendLocked(t *testing.T) {
	h := &hub{out: make(chan int)}
	go h.consume()
	h.publishRight(1)
	h.publishRight(2)
}

// A WaitGroup and a lock.

func TestWrongWaitLocked(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		mu.Lock()
		mu.Unlock()
	}()
	mu.Lock()
	wg.Wait()
	mu.Unlock()
}

func TestRightWaitLocked(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		mu.Lock()
		mu.Unlock()
	}()
	mu.Lock()
	mu.Unlock()
	wg.Wait()
}

// Wait in the loop that starts what it waits for.

func TestWrongWaitInLoop(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(2)
	for range 2 {
		go func() { defer wg.Done() }()
		wg.Wait()
	}
}

func TestRightWaitInLoop(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(2)
	for range 2 {
		go func() { defer wg.Done() }()
	}
	wg.Wait()
}

// Done is missing on a path.

func TestWrongDone(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Add(1)
		go func() {
			if i == 2 {
				return
			}
			wg.Done()
		}()
	}
	wg.Wait()
}

func TestRightDone(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if i == 2 {
				return
			}
		}()
	}
	wg.Wait()
}

// A signal that comes before the wait.

func TestWrongSignal(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	go c.Signal()
	mu.Lock()
	c.Wait()
	mu.Unlock()
}

func TestRightSignal(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ready := false
	go func() {
		mu.Lock()
		ready = true
		mu.Unlock()
		c.Signal()
	}()
	mu.Lock()
	for !ready {
		c.Wait()
	}
	mu.Unlock()
}

// Signal where two kinds wait.

type queue struct {
	mu   sync.Mutex
	cond *sync.Cond
	full bool
}

func newQueue() *queue {
	q := new(queue)
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *queue) put(wake func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.full {
		q.cond.Wait()
	}
	q.full = true
	wake()
}

func (q *queue) get(wake func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.full {
		q.cond.Wait()
	}
	q.full = false
	wake()
}

func useQueue(q *queue, wake func()) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { q.put(wake) })
		wg.Go(func() { q.get(wake) })
	}
	wg.Wait()
}

func TestWrongOneCond(t *testing.T) {
	q := newQueue()
	useQueue(q, q.cond.Signal)
}

func TestRightOneCond(t *testing.T) {
	q := newQueue()
	useQueue(q, q.cond.Broadcast)
}

// A context that is never cancelled.

func watchWrong(parent context.Context) {
	ctx, cancel := context.WithCancel(parent)
	_ = cancel
	go func() { <-ctx.Done() }()
}

func watchRight(parent context.Context) {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	go func() { <-ctx.Done() }()
}

func TestWrongCancel(t *testing.T) { watchWrong(context.Background()) }
func TestRightCancel(t *testing.T) { watchRight(context.Background()) }

// A worker that selects on the context, and a producer that does not.

func pipeWrong(ctx context.Context) {
	ch := make(chan int)
	go func() {
		for i := range 3 {
			ch <- i
		}
		close(ch)
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-ch:
			if !ok {
				return
			}
		}
	}
}

func pipeRight(ctx context.Context) {
	ch := make(chan int)
	go func() {
		defer close(ch)
		for i := range 3 {
			select {
			case ch <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-ch:
			if !ok {
				return
			}
		}
	}
}

func TestWrongPipe(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	pipeWrong(ctx)
}

func TestRightPipe(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	pipeRight(ctx)
}

// Two goroutines send to each other.

func TestWrongEachOther(t *testing.T) {
	a, b := make(chan int), make(chan int)
	done := make(chan bool)
	go func() {
		a <- 1
		<-b
		done <- true
	}()
	b <- 1
	<-a
	<-done
}

func TestRightEachOther(t *testing.T) {
	a, b := make(chan int), make(chan int)
	done := make(chan bool)
	go func() {
		a <- 1
		<-b
		done <- true
	}()
	<-a
	b <- 1
	<-done
}

// A Once that waits for a goroutine that needs it.

func TestWrongOnceWait(t *testing.T) {
	var once sync.Once
	done := make(chan bool)
	once.Do(func() {
		go func() {
			once.Do(func() {})
			close(done)
		}()
		<-done
	})
}

func TestRightOnceWait(t *testing.T) {
	var once sync.Once
	done := make(chan bool)
	once.Do(func() {
		go func() {
			once.Do(func() {})
			close(done)
		}()
	})
	<-done
}
